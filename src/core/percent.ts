/** Shares in percent of numbers that may be larger than a Number is exact for, such as addresses of IPv6. */

/** What is over a limit never reads as the limit, and something never as nothing. @param digits behind the point */
export function percentRoundedUp(part: bigint, whole: bigint, digits = 2): number {
  const scale = 10n ** BigInt(digits);
  return Number((part * 100n * scale + whole - 1n) / whole) / Number(scale);
}

/** What is below a limit never reads as the limit, and a part never as all. @param digits behind the point */
export function percentRoundedDown(part: bigint, whole: bigint, digits = 2): number {
  const scale = 10n ** BigInt(digits);
  return Number((part * 100n * scale) / whole) / Number(scale);
}

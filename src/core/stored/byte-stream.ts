/** Bytes written and read in order, with variable-length numbers (base 128, low digits first) as stored tables use them. */

export class ByteWriter {
  #bytes: Uint8Array;
  #size = 0;

  /** `capacity`: expected number of bytes. */
  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#size;
  }

  byte(value: number): void {
    if (this.#size === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#size++] = value;
  }

  /** A number below 2^32. */
  varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** A number of up to 128 bits in 4 words, high word first; the words are modified. */
  wideVarint(words: Uint32Array): void {
    while (words[0] !== 0 || words[1] !== 0 || words[2] !== 0 || words[3]! > 0x7f) {
      this.byte((words[3]! & 0x7f) | 0x80);
      words[3] = (words[3]! >>> 7) | (words[2]! << 25);
      words[2] = (words[2]! >>> 7) | (words[1]! << 25);
      words[1] = (words[1]! >>> 7) | (words[0]! << 25);
      words[0]! >>>= 7;
    }
    this.byte(words[3]!);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  /** What was written so far; valid until the next write. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(this.#size + more, this.#bytes.length * 2));
    bytes.set(this.written());
    this.#bytes = bytes;
  }
}

/** Thrown by {@link ByteReader}; callers that know what is being read turn it into their own error. */
export class ByteStreamError extends Error {
  override readonly name = 'ByteStreamError';
}

/** Reads only what {@link ByteWriter} wrote: each number has one form, and reading past the end is an error. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    if (this.#at >= this.#bytes.length) throw new ByteStreamError('ends too early');
    return this.#bytes[this.#at++]!;
  }

  varint(): number {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * place;
      if (byte < 0x80) {
        if (value > 0xffffffff || (byte === 0 && place > 1))
          throw new ByteStreamError('has a malformed number');
        return value;
      }
      if (place >= 2 ** 28) throw new ByteStreamError('has a malformed number');
    }
  }

  /** Reads `count` numbers below 2^32. Like {@link varint}, for a hot path. */
  varints(count: number): Uint32Array {
    // Each takes at least one byte, so a hostile count cannot be larger than the rest.
    if (count > this.left) throw new ByteStreamError('ends too early');
    const numbers = new Uint32Array(count);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < count; i++) {
      const first = at < bytes.length ? bytes[at]! : 0x80;
      if (first < 0x80) {
        numbers[i] = first;
        at++;
        continue;
      }
      const second = at + 1 < bytes.length ? bytes[at + 1]! : 0x80;
      if (second > 0 && second < 0x80) {
        numbers[i] = (first & 0x7f) | (second << 7);
        at += 2;
        continue;
      }
      this.#at = at;
      numbers[i] = this.varint();
      at = this.#at;
    }
    this.#at = at;
    return numbers;
  }

  /** Reads a number of up to 128 bits into 4 words, high word first. */
  wideVarint(words: Uint32Array): void {
    words.fill(0);
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      const digit = byte & 0x7f;
      const bit = shift & 31;
      const word = 3 - (shift >> 5);
      words[word]! |= digit << bit;
      if (bit > 25 && digit >>> (32 - bit) !== 0) {
        if (word === 0) throw new ByteStreamError('has a malformed number');
        words[word - 1]! |= digit >>> (32 - bit);
      }
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) throw new ByteStreamError('has a malformed number');
        return;
      }
      if (shift >= 126) throw new ByteStreamError('has a malformed number');
    }
  }

  /** The remaining bytes, without consuming them. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new ByteStreamError('ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

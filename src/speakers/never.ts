/** Never aborts: of work that goes on by itself, without a caller that could end it. */
export const never = new AbortController().signal;

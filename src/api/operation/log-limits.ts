/** The most that a request reads of the end of a log file, in bytes. Without schemas, since the command line loads it. */
export const MAXIMUM_READ_BYTES = 4 * 1024 * 1024;

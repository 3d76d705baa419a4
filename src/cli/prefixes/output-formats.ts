export const OUTPUT_FORMATS = ['text', 'json', 'csv'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

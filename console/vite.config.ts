import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const CLIENT = new URL('../client/src/index.ts', import.meta.url).pathname;

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: { alias: { '@prefixcast/client': CLIENT } },
  build: {
    target: 'es2023',
    cssCodeSplit: false,
    // A policy without inline scripts and data: URLs of scripts has files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // scripts/console/console-budget.ts measures what counts.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});

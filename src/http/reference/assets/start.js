/* global document, Redoc */
// Addresses are relative to the page, so that the reference works behind a proxy that puts the service below a path of its own.
Redoc.init(
  'v1/openapi.json',
  {
    hideDownloadButton: false,
    nativeScrollbars: true,
    theme: {
      typography: {
        fontFamily: 'system-ui, sans-serif',
        headings: { fontFamily: 'system-ui, sans-serif' },
        code: { fontFamily: 'ui-monospace, monospace' },
      },
    },
  },
  document.getElementById('reference'),
);

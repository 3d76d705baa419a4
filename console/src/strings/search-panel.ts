/** Of the search in the text of entries. */
export const searchPanelText = {
  find: 'Find',
  replace: 'Replace with',
  next: 'Next',
  previous: 'Previous',
  replaceOne: 'Replace',
  replaceAll: 'Replace all',
  close: 'Close',
};

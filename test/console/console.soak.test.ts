// The console once more, read by axe in each theme at each width.
import './console.test.ts';

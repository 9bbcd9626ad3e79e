// Loads the parts of the upload that a page does not need at first.
export const loadResults = () => import('./results.ts');

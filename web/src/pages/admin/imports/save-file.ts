// Hands a text to the person as a file.

/** How long the browser may take to fetch the text from the page. */
const FETCH_MS = 10_000;

/** Saves CSV under `name`. Text beyond ASCII begins with a mark, without which Excel reads its letters wrongly. */
export function saveFile(name: string, text: string): void {
  const blob = new Blob([/^\p{ASCII}*$/u.test(text) ? '' : '\ufeff', text], {
    type: 'text/csv;charset=utf-8',
  });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FETCH_MS);
}

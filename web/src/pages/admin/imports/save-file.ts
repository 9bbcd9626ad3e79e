// Downloads a text as a CSV file.

/** Time after which the object URL is revoked. The browser must have read the text before. */
const FETCH_MS = 10_000;

/** Downloads CSV as `name`. Text beyond ASCII gets a byte order mark, because Excel needs it to detect UTF-8. */
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

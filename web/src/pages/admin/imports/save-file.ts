// Downloads a text as a CSV file.

/** Delay before the object URL of the file is revoked. The delay gives the browser enough time to read the file. */
const FETCH_MS = 10_000;

/**
 * Downloads `text` as a CSV file with this name. If the text is not only ASCII, a byte-order mark is added, because
 * Excel needs one to detect UTF-8.
 */
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

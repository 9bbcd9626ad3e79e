// Saves a file to the user's disk.

/** Delay before the object URL of the file is revoked. The delay gives the browser enough time to read the file. */
const FETCH_MS = 10_000;

/** Saves the file with this name. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FETCH_MS);
}

// Error of backups: names the file, the fault and the remedy.

/** Thrown if a backup cannot be written, read or restored. The message has the reason and what to do. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** Returns the error for a file that is damaged or incomplete. `fault` is the reason. */
export function damaged(file: string, fault: string): BackupError {
  return new BackupError(`${file} is damaged or not whole: ${fault}. Nothing was changed. Use another file.`);
}

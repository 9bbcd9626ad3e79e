// The pages about uploads of codes: the list, and one upload. Only these pages load this file.
import { UploadPage } from './upload-page.tsx';
import { UploadsPage } from './uploads-page.tsx';

export function Uploads({ id }: { id: string | undefined }) {
  // The key discards what was typed about another upload.
  return id ? <UploadPage key={id} id={id} /> : <UploadsPage />;
}

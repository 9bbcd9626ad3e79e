// The pages about uploads of codes: the list, and one upload. Only these pages load this file.
import { useParams } from 'wouter';
import { UploadPage } from './upload-page.tsx';
import { UploadsPage } from './uploads-page.tsx';

export function Uploads() {
  const { id } = useParams<{ id?: string }>();
  // The key discards what was typed about another upload.
  return id ? <UploadPage key={id} id={id} /> : <UploadsPage />;
}

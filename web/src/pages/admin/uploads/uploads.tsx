// The pages about uploads of codes: the list, and one upload. The app imports this file dynamically, so other pages do
// not download it.
import { useParams } from 'wouter';
import { UploadPage } from './upload-page.tsx';
import { UploadsPage } from './uploads-page.tsx';

export function Uploads() {
  const { id } = useParams<{ id?: string }>();
  // If the URL changes to another upload, the new `key` makes React create a new page. So input for the previous upload
  // is discarded.
  return id ? <UploadPage key={id} id={id} /> : <UploadsPage />;
}

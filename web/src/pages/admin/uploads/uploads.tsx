// The pages about uploads of codes: the list, and one upload. The app imports this file dynamically, so other pages do
// not download it.

import { listBatches } from '@portal/contract';
import { useParams } from 'wouter';
import { say } from '../../../words/say.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { NothingHere } from '../nothing-here.tsx';
import { RoleGate } from '../role-gate.tsx';
import { UploadPage } from './upload-page.tsx';
import { UploadsPage } from './uploads-page.tsx';

export function Uploads() {
  const { id } = useParams<{ id?: string }>();
  return (
    <RoleGate to={listBatches} otherwise={<NoUploads />}>
      {/* If the URL changes to another upload, the new `key` makes React create a new page. So input for the previous
      upload is discarded. */}
      {id ? <UploadPage key={id} id={id} /> : <UploadsPage />}
    </RoleGate>
  );
}

function NoUploads() {
  return (
    <AdminFrame title={say('Coupons')} tabTitle={say('Uploads')}>
      <NothingHere />
    </AdminFrame>
  );
}

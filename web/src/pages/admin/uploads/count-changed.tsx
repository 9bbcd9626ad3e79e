// Warning in a confirmation dialog: now more codes are affected than the dialog said before.
import { TriangleAlert } from 'lucide-react';
import { Notice } from '../../../ui/notice.tsx';
import { sayCountChanged } from './upload-words.ts';

export function CountChanged({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return null;
  return (
    <div role="alert">
      <Notice icon={TriangleAlert} warning>
        {sayCountChanged(now, before)}
      </Notice>
    </div>
  );
}

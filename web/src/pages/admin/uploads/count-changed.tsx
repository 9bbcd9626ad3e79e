// Warning in a confirmation dialog: now more codes or people are affected than the dialog said before.
import { TriangleAlert } from 'lucide-react';
import { Notice } from '../../../ui/notice.tsx';
import { sayCountChanged } from './upload-words.ts';

type CountChangedProps = {
  now: number;
  before: number | undefined;
  /** Returns the text; missing for codes. */
  sayChange?: (now: number, before: number) => string;
};

export function CountChanged({ now, before, sayChange = sayCountChanged }: CountChangedProps) {
  if (before === undefined) return null;
  return (
    <div role="alert">
      <Notice icon={TriangleAlert} warning>
        {sayChange(now, before)}
      </Notice>
    </div>
  );
}

// Shows the newer values in a dialog, after the server has refused to save because somebody else has changed them since the
// dialog was opened (409 `edit_conflict`).
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api-error.ts';
import { Notice } from '../../ui/notice.tsx';
import { say } from '../../words/say.ts';
import { tellRefusal } from './refusal-toast.ts';

export function isEditConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'edit_conflict';
}

/**
 * `show` loads the newer values and fills the form with them. Returns `onConflict`, which calls `show`, and `isNewer`,
 * which is true as soon as the form shows newer values.
 */
export function useNewerValues(show: () => Promise<void>) {
  const [isNewer, setNewer] = useState(false);
  const onConflict = async () => {
    try {
      await show();
      setNewer(true);
    } catch (error) {
      tellRefusal(error, say('We could not load their version.'));
    }
  };
  return { isNewer, onConflict };
}

export function NewerValues({ isShown }: { isShown: boolean }) {
  return (
    <div role="alert">
      {isShown && (
        <Notice icon={TriangleAlert} warning>
          {say('Somebody else changed this meanwhile.')}{' '}
          {say('The fields show the newer dates. Nothing was saved.')}
        </Notice>
      )}
    </div>
  );
}

// The Close button in the corner of a dialog. It must be the dialog's last child, because a dialog focuses its first
// control when it opens.
import { X } from 'lucide-react';
import { say } from '../words/say.ts';
import { Icon } from './icon.tsx';

export function DialogClose({ onClose, disabled }: { onClose: () => void; disabled?: boolean }) {
  return (
    <button
      type="button"
      aria-label={say('Close')}
      className="absolute top-5 right-5 z-1 grid size-8 cursor-pointer place-items-center rounded-sm text-current opacity-80 hover:bg-current/12 hover:opacity-100 disabled:cursor-not-allowed disabled:opacity-40"
      disabled={disabled}
      onClick={onClose}
    >
      <Icon of={X} />
    </button>
  );
}

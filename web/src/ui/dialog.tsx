// A modal dialog. The browser keeps the focus inside an open <dialog> element and later returns the focus to the opener.
import { X } from 'lucide-react';
import { type MouseEvent, type ReactNode, type SyntheticEvent, useLayoutEffect, useRef } from 'react';
import { t } from '../words/translate.ts';
import { classes, focusMain, noteOpenDialog } from './dom.ts';
import { Icon } from './icon.tsx';
import { ToastArea } from './toast-area.tsx';

type DialogProps = {
  /** `alertdialog` is for a question that the user must answer before anything else. */
  role?: 'alertdialog' | undefined;
  labelledBy: string;
  describedBy?: string;
  /** If false, the dialog is rendered but not open, so that it opens faster later. */
  open?: boolean;
  /** Called when the user closes the dialog with Escape or a click on the backdrop. */
  onClose: () => void;
  /** False during an action that the user must not interrupt. */
  closable?: boolean;
  className?: string;
  children: ReactNode;
};

/** The dialog is open while it is mounted, unless `open` is false. */
export function Dialog({ open = true, onClose, closable = true, className, ...props }: DialogProps) {
  const { children, role, labelledBy, describedBy } = props;
  const element = useRef<HTMLDialogElement>(null);

  // The clean-up of a layout effect closes the dialog before React removes the element, so that the browser returns the
  // focus to the opener.
  useLayoutEffect(() => {
    if (!open) return;
    const dialog = element.current;
    dialog?.showModal();
    const noteClosed = noteOpenDialog();
    return () => {
      dialog?.close();
      noteClosed();
      // If the opener no longer exists, like the login button after a sign-in, the main content gets the focus.
      const focused = document.activeElement;
      if (focused === document.body || dialog?.contains(focused)) focusMain();
    };
  }, [open]);

  const cancel = (event: SyntheticEvent) => {
    event.preventDefault();
    if (closable) onClose();
  };
  // After a second Escape without a click in between, browsers close the dialog although `cancel` was prevented. A
  // dialog that must stay open is then opened again.
  const followClosing = () => {
    if (element.current?.open) return;
    if (closable) onClose();
    else element.current?.showModal();
  };
  const pressBackdrop = (event: MouseEvent) => {
    // The second click of a double click on the opener hits the backdrop and must not close the dialog.
    const isSecond = event.detail > 1;
    if (event.target === element.current && !isSecond && closable) onClose();
  };
  return (
    <dialog
      role={role}
      ref={element}
      // Fills the window. A smaller dialog would clip the shadow of its content.
      className="w-full max-w-none h-dvh max-h-none p-4 overflow-y-auto bg-transparent text-inherit open:flex backdrop:bg-overlay"
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      onCancel={cancel}
      onClose={followClosing}
      onKeyDown={(event) => event.key === 'Escape' && !closable && event.preventDefault()}
      onMouseDown={pressBackdrop}
    >
      <div className={classes('w-full m-auto', className)}>{children}</div>
      {/* While the dialog is closed, notifications appear in the page's own area. */}
      {open && <ToastArea inDialog />}
    </dialog>
  );
}

/** Must be the dialog's last child, because a dialog focuses its first control when it opens. */
export function DialogClose({ onClose, disabled }: { onClose: () => void; disabled?: boolean }) {
  return (
    <button
      type="button"
      aria-label={t('Close')}
      className="absolute top-5 right-5 z-1 grid size-8 pointer-coarse:after:absolute pointer-coarse:after:-inset-1.5 cursor-pointer place-items-center rounded-sm text-current opacity-80 hover:bg-current/12 hover:opacity-100 disabled:cursor-not-allowed disabled:opacity-40"
      disabled={disabled}
      onClick={onClose}
    >
      <Icon of={X} />
    </button>
  );
}

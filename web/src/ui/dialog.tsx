// A modal dialog: the browser's own element, so that focus is kept inside and given back to the opener.
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
} from 'react';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import { focusMain } from './focus-main.ts';
import { noteOpenDialog } from './open-dialogs.ts';
import { ToastArea } from './toast-area.tsx';

type DialogProps = {
  /** `alertdialog` for a question that must be answered first. */
  role?: 'alertdialog';
  labelledBy: string;
  describedBy?: string;
  /** False while it is only made ready. */
  open?: boolean;
  /** Called when the person closes it: Escape, the backdrop or the Close button. */
  onClose: () => void;
  /** False while something is under way that must not be left. */
  closable?: boolean;
  className?: string;
  children: ReactNode;
};

/** Open for as long as it is mounted, unless `open` says otherwise. */
export function Dialog({
  role,
  labelledBy,
  describedBy,
  open = true,
  onClose,
  closable = true,
  className,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);

  // Before the element leaves the page: a dialog that is gone cannot give the focus back.
  useLayoutEffect(() => {
    if (!open) return;
    const dialog = element.current;
    dialog?.showModal();
    const noteClosed = noteOpenDialog();
    return () => {
      dialog?.close();
      noteClosed();
      // What opened it may be gone: Login, after a sign-in. Then the focus is still in the dialog, or nowhere.
      const focused = document.activeElement;
      if (focused === document.body || dialog?.contains(focused)) focusMain();
    };
  }, [open]);

  const cancel = (event: SyntheticEvent) => {
    event.preventDefault();
    if (closable) onClose();
  };
  const holdEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !closable) event.preventDefault();
  };
  // A browser heeds `cancel` once; asked again without a press in between, it closes the element by itself.
  const followClosing = () => {
    if (element.current?.open) return;
    if (closable) onClose();
    else element.current?.showModal();
  };
  const pressBackdrop = (event: MouseEvent) => {
    // The second press of a double click was meant for what opened it.
    const isSecond = event.detail > 1;
    if (event.target === element.current && !isSecond && closable) onClose();
  };
  return (
    <dialog
      role={role}
      ref={element}
      className={styles.window}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      onCancel={cancel}
      onClose={followClosing}
      onKeyDown={holdEscape}
      onMouseDown={pressBackdrop}
    >
      <div className={classes(styles.stand, className)}>{children}</div>
      {/* In a closed one notifications would be there a second time, unseen. */}
      {open && <ToastArea inDialog />}
    </dialog>
  );
}

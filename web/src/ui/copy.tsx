// Copies a code to the clipboard.
import { Check, Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../words/translate.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { showError, showToast } from './toast-store.ts';

type CopyButtonProps = Pick<Parameters<typeof Button>[0], 'size' | 'look' | 'ref'> & {
  code: string;
  /** Id of the element that shows the code. Its text is selected if the clipboard cannot be written. */
  codeId: string;
  done: { title: string; description?: string };
  /** What the code is for, if a page has several of these buttons. Only screen readers read it. */
  of?: string;
  onCopied?: (() => void) | undefined;
};

export function CopyButton({ code, codeId, done, of, onCopied, ...button }: CopyButtonProps) {
  const { size, look = 'inverse-outline', ref } = button;
  const { copied, copy } = useCopy();
  const press = async () => {
    if (await copy(code)) {
      showToast(done);
      onCopied?.();
      return;
    }
    showError(t('Failed to copy'));
    const element = document.getElementById(codeId);
    if (element) getSelection()?.selectAllChildren(element);
  };
  return (
    <Button
      ref={ref}
      look={look}
      size={size}
      className="max-md:px-2"
      aria-describedby={codeId}
      onClick={press}
    >
      <Icon of={copied ? Check : Copy} size={16} />
      {copied ? t('Copied') : t('Copy')}
      {of && <span className="sr-only"> {of}</span>}
    </Button>
  );
}

/** Time until `copied` is false again (R-PROD-18). */
const COPIED_RESET_MS = 2000;

/** `copy` returns false if the clipboard cannot be written. `copied` is true for 2 s after a successful copy. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<boolean> } {
  const [copied, setCopied] = useState(false);
  const reset = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(reset.current), []);

  const copy = async (text: string): Promise<boolean> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return false;
    }
    clearTimeout(reset.current);
    setCopied(true);
    reset.current = setTimeout(() => setCopied(false), COPIED_RESET_MS);
    return true;
  };
  return { copied, copy };
}

// Copying a text, and the confirmation that it was.
import { useEffect, useRef, useState } from 'react';

/** R-PROD-18. */
const COPIED_RESET_MS = 2000;

/** `copied` is true for 2 s after `copy` put the text on the clipboard; `copy` answers whether it could. */
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

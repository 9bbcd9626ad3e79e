// Copies a text to the clipboard and confirms it for a short time.
import { useEffect, useRef, useState } from 'react';

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

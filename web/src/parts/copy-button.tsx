// Button that copies a code to the clipboard.
import { Check, Copy } from 'lucide-react';
import type { Ref } from 'react';
import { Button, type ButtonLook } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/toast-store.ts';
import { say } from '../words/say.ts';
import { useCopy } from './use-copy.ts';

type CopyButtonProps = {
  code: string;
  /**
   * Id of the element that shows the code. If the clipboard cannot be written, the button selects the text of this
   * element.
   */
  codeId: string;
  done: { title: string; description?: string };
  size?: 'sm' | 'md';
  look?: ButtonLook['look'];
  ref?: Ref<HTMLButtonElement>;
};

export function CopyButton({ code, codeId, done, size, look = 'inverse-outline', ref }: CopyButtonProps) {
  const { copied, copy } = useCopy();
  const press = async () => {
    if (await copy(code)) return showToast(done);
    showToast({ title: say('Failed to copy'), variant: 'destructive' });
    selectText(codeId);
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
      {copied ? say('Copied') : say('Copy')}
    </Button>
  );
}

function selectText(id: string): void {
  const element = document.getElementById(id);
  if (element) getSelection()?.selectAllChildren(element);
}

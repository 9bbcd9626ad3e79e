// Toast that says whether a text was copied.
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';

/** Shows a toast with the title `done`. `isCopied` is false if the clipboard could not be written. */
export function tellCopied(isCopied: boolean, done = say('Code copied!')): void {
  showToast(isCopied ? { title: done } : { title: say('Failed to copy'), variant: 'destructive' });
}

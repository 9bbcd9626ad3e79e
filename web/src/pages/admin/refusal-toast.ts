// What administrators are told when something is refused.
import { ApiError } from '../../api-error.ts';
import { showToast, type ToastWords } from '../../ui/toast-store.ts';
import { say, sayServed } from '../../words/say.ts';

/** 'Error' with the server's words, or `fallback` where it said none (R-ERR-09, A-58). */
export function refusalWords(error: unknown, fallback: string): ToastWords {
  const words = error instanceof ApiError && error.serverMessage ? sayServed(error.serverMessage) : fallback;
  return { title: say('Error'), description: words, variant: 'destructive' };
}

export function tellRefusal(error: unknown, fallback: string): void {
  showToast(refusalWords(error, fallback));
}

/** R-VAL-10, R-VAL-16, R-VAL-26 */
export function tellMissing(description = say('Please fill in all required fields')): void {
  showToast({ title: say('Missing required fields'), description, variant: 'destructive' });
}

/** What one-text successes look like. */
export function tellSuccess(description: string): void {
  showToast({ title: say('Success'), description });
}

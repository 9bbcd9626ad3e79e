// What administrators are told when something is refused.
import type { ErrorCode } from '@portal/contract';
import { ApiError } from '../../api-error.ts';
import { showToast, type ToastWords } from '../../ui/toast-store.ts';
import { say, sayServed } from '../../words/say.ts';

/** 'Error' with the server's words, or `fallback` where it said none (R-ERR-09, A-58). */
export function refusalWords(error: unknown, fallback: string): ToastWords {
  const words = error instanceof ApiError && error.serverMessage ? sayServed(error.serverMessage) : fallback;
  return { title: say('Error'), description: words, variant: 'destructive' };
}

/** Tells `refusalWords`. Returns the same words as the error of the field that `fields` names for the error's code. */
export function tellRefusal<Name extends PropertyKey>(
  error: unknown,
  fallback: string,
  fields: Partial<Record<ErrorCode, Name>> = {},
): Partial<Record<Name, string>> {
  const toast = refusalWords(error, fallback);
  showToast(toast);
  const name = error instanceof ApiError && fields[error.code as ErrorCode];
  return (name ? { [name]: toast.description } : {}) as Partial<Record<Name, string>>;
}

/** Tells an error of what was typed. */
export function tellError(description: string): void {
  showToast({ title: say('Error'), description, variant: 'destructive' });
}

/** R-VAL-10, R-VAL-16, R-VAL-26 */
export function tellMissing(description = say('Please fill in all required fields')): void {
  showToast({ title: say('Missing required fields'), description, variant: 'destructive' });
}

/** What one-text successes look like. */
export function tellSuccess(description: string): void {
  showToast({ title: say('Success'), description });
}

// Notice on learners' pages that the session has ended.
import { Notice } from '../ui/notice.tsx';
import { say, sayAround } from '../words/say.ts';
import { opensLogin } from './login-store.ts';

/** Shown if the session ended without a logout. */
export function SignedOut() {
  const login = (
    <button type="button" className="link -my-0.5 min-h-6" {...opensLogin}>
      {say('Login')}
    </button>
  );
  return (
    <div className="wrap text-md">
      <Notice className="mt-4">
        {sayAround('You were signed out. {login} to go on where you were.', { login })}
      </Notice>
    </div>
  );
}

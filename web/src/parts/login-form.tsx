// The first view of the login dialog: the sign-in form (R-VAL-01, R-VAL-04, R-VAL-05).
import { useRoute } from 'wouter';
import { sendMagicLink, signInWithGoogle } from '../auth.ts';
import { brand } from '../brand.ts';
import { say } from '../words/say.ts';
import { PRODUCT_ROUTE } from './product-id.ts';
import { SignInForm } from './sign-in-form.tsx';

type LoginFormProps = {
  titleId: string;
  firstLineId: string;
  /** True if the e-mail field gets the focus on mount, because the user chose to use another address. */
  focusField: boolean;
  onBusy: (busy: boolean) => void;
  onSent: (email: string) => void;
  /** Called when the redirect to Google has begun. */
  onLeave: () => void;
};

export function LoginForm({ titleId, firstLineId, onLeave, ...form }: LoginFormProps) {
  const [, product] = useRoute(PRODUCT_ROUTE);
  const wayBack = { productId: product?.id };
  // The button of the mail 'Your benefits are ready' leads here (R-INV-01).
  const email = new URLSearchParams(location.search).get('email') ?? undefined;
  return (
    <>
      <h2 id={titleId} className="pr-8 text-xl">
        {say('Sign In to Redeem')}
      </h2>
      <p id={firstLineId} className="mt-1.5 text-md text-ink-2">
        {say('Use the email you gave {provider} at purchase.', { provider: brand.name })}
      </p>
      <SignInForm
        {...form}
        email={email}
        or={say('Or')}
        placeholder={say('Your {provider} email', { provider: brand.name })}
        hint={say('We’ll email you a secure login link. No password needed.')}
        goToGoogle={() => signInWithGoogle(wayBack).then(onLeave)}
        googleFailed={say('Could not initiate Google sign-in. Please try again.')}
        sendLink={(email) => sendMagicLink(email, wayBack)}
        sendFailed={say('Please check your email and try again')}
      />
    </>
  );
}

// The operator's commands for sessions and signing keys.
import { flag, OperatorError, portalCommand, type SignInTools } from './command.ts';
import { EMAIL } from './team-commands.ts';

export const signInCommands = [
  portalCommand({
    name: 'sessions revoke',
    summary: 'sign an address out everywhere',
    takes: { email: EMAIL, unlink: flag('--unlink', 'also separate it from its Google account') },
    run: async ({ signIn }, { email, unlink }) => {
      const tools = requireEmbeddedSignIn(signIn, 'Sessions');
      const { sessions, unlinked } = await tools.revokeSessions({ email, unlink });
      const counted = sessions === 1 ? 'One session' : `${sessions} sessions`;
      const done = sessions === 0 ? `${email} was not signed in.` : `${counted} of ${email} ended.`;
      const parted = unlinked === 0 ? 'No Google account was linked.' : 'The Google account is unlinked.';
      return `${done} Links and codes mailed before are worthless.${unlink ? ` ${parted}` : ''}`;
    },
  }),
  portalCommand({
    name: 'keys rotate',
    summary: 'let a new key sign the access tokens',
    takes: { revoke: flag('--revoke', 'refuse the tokens of the old key') },
    run: async ({ signIn }, { revoke }) => {
      const kid = await requireEmbeddedSignIn(signIn, 'Signing keys').rotateKeys({ revoke });
      const old = revoke
        ? 'Tokens of older keys are refused from then on; browsers renew theirs by themselves.'
        : 'Tokens of the old key live to their end.';
      return `The key ${kid} signs from now on, in every process within ten seconds. ${old}`;
    },
  }),
];

function requireEmbeddedSignIn(signIn: SignInTools | null, what: string): SignInTools {
  if (signIn !== null) return signIn;
  throw new OperatorError(
    `${what} are the business of the hosted sign-in service (AUTH_URL): use its own tools.`,
  );
}

// Link that skips the header. Keyboard users reach it first.
import { buttonClass } from '../ui/button.tsx';
import { say } from '../words/say.ts';

export function SkipLink() {
  return (
    <a
      href="#main"
      className={buttonClass({
        look: 'primary',
        className: 'absolute left-(--gutter) -top-16 z-(--z-toast) focus:top-3',
      })}
    >
      {say('Skip to content')}
    </a>
  );
}

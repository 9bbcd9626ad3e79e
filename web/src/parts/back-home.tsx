// A link to the home page, for pages that offer no other link.
import { ArrowLeft } from 'lucide-react';
import { Link } from 'wouter';
import { type ButtonLook, buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { say } from '../words/say.ts';

export function BackHome({ look }: Pick<ButtonLook, 'look'>) {
  return (
    <Link href="/" className={buttonClass({ look, className: 'mt-4' })}>
      <Icon of={ArrowLeft} size={16} />
      {say('Back to Home')}
    </Link>
  );
}

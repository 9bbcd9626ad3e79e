// The main piece of the ticket after a code was issued: the learner copies the code or opens it in a dialog (R-PROD-14
// to R-PROD-23).
import type { Product } from '@portal/contract';
import { ArrowUpRight, Clock } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { lazyDialog } from '../lazy.tsx';
import { productIdOf } from '../navigation.ts';
import { useSession } from '../queries.ts';
import { type ButtonLook, buttonClass } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { cut, ExternalLink, withScheme } from '../ui/text.tsx';
import { TicketCode, TicketMiddle, TicketNote, TicketTop } from '../ui/ticket.tsx';
import { daysLeft, formatDay, isSoon } from '../words/format.ts';
import { t, tNode } from '../words/translate.ts';
import type { IssuedCode } from './redemption.ts';

/** Maximum length of the product's name in the dialog, in characters (R-PROD-07). */
const NAME_LENGTH = 50;

const CouponDialog = lazyDialog(() => import('./coupon-dialog.tsx').then((module) => module.CouponDialog));

function prepareCouponDialog(): void {
  void Promise.allSettled([CouponDialog.load()]);
}

type IssuedMainProps = { product: Product; issued: IssuedCode; takesFocus: () => boolean };

export function IssuedMain({ product, issued, takesFocus }: IssuedMainProps) {
  const session = useSession();
  const [viewing, setViewing] = useState(false);
  const copied = { title: t('Success!'), description: t('Coupon code copied to clipboard') };
  const copyButton = useFocusOnArrival<HTMLButtonElement>(takesFocus);

  return (
    <>
      <IssuedTicket
        product={product}
        issued={issued}
        holder={session.status === 'signed-in' && session.email}
        buttons={
          <CopyButton
            ref={copyButton}
            code={issued.code}
            codeId={CODE_ID}
            done={copied}
            look={isPast(issued) ? 'outline' : 'inverse-outline'}
          />
        }
      >
        <button
          type="button"
          className="-my-0.5 min-h-6 cursor-pointer rounded-[2px] underline underline-offset-[0.2em]"
          aria-haspopup="dialog"
          onPointerOver={prepareCouponDialog}
          onFocus={prepareCouponDialog}
          onClick={() => setViewing(true)}
        >
          {t('View code')}
        </button>
      </IssuedTicket>
      {viewing && (
        <CouponDialog
          productId={productIdOf(product)}
          productName={cut(product.name, NAME_LENGTH)}
          code={issued.code}
          note={formatSingleUse()}
          visit={<VisitSite url={issued.url} />}
          onClose={() => setViewing(false)}
        />
      )}
    </>
  );
}

const CODE_ID = 'code';

/** For how many days the ticket says that the code was replaced (N-99). */
const REPLACED_DAYS = 30;

export function isPast({ useBy }: Pick<IssuedCode, 'useBy'>): boolean {
  return useBy !== null && daysLeft(useBy, new Date()) < 0;
}

type IssuedTicketProps = {
  product: Pick<Product, 'name'>;
  issued: Pick<IssuedCode, 'code' | 'useBy' | 'replacedOn' | 'isUnconfirmed'>;
  /** Read by screen readers in place of the code. */
  spoken?: string | undefined;
  /** E-mail address of the learner who holds the code; false if unknown. */
  holder: string | false;
  buttons: ReactNode;
  /** Shown after the note. */
  children?: ReactNode;
};

export function IssuedTicket({ product, issued, spoken, holder, buttons, children }: IssuedTicketProps) {
  const now = new Date();
  const { code, useBy, replacedOn, isUnconfirmed } = issued;
  return (
    <>
      <TicketTop>
        <CodeFacts useBy={isPast(issued) ? null : useBy} now={now} />
        {holder !== false && (
          <span>
            <span className="max-md:hidden">{t('Issued to')} </span>
            {holder}
          </span>
        )}
      </TicketTop>
      {/* The note of an unconfirmed code says that it may not work yet (R-DAY-33). */}
      {!isUnconfirmed && <p className="sr-only">{t('Your coupon code is ready')}</p>}
      <TicketMiddle>
        <TicketCode id={CODE_ID} code={code} spoken={spoken} />
        {buttons}
      </TicketMiddle>
      <TicketNote>
        {replacedOn && daysLeft(replacedOn, now) >= -REPLACED_DAYS && (
          <>
            <b>{t('Your code was replaced on {day}.', { day: formatDay(replacedOn) })}</b>{' '}
          </>
        )}
        {isUnconfirmed && (
          <>
            <b>
              {tNode('This code is being set up with {product}. If it does not work yet, try again later.', {
                product: <bdi>{product.name}</bdi>,
              })}
            </b>{' '}
          </>
        )}
        {useBy && isPast(issued) ? (
          <b>{t('The last day of this code was {day}.', { day: formatDay(useBy) })}</b>
        ) : (
          <span>{formatSingleUse()}</span>
        )}{' '}
        {children}
      </TicketNote>
    </>
  );
}

/** The type of the code and its last day, if that has not passed (N-103). A dot separates two facts on the same line. */
function CodeFacts({ useBy, now }: { useBy: string | null; now: Date }) {
  return (
    <span className="overflow-x-clip">
      {/* Each line begins further left by the width of a separator, so that a separator at its start is cut off. */}
      <span className="-ms-1.5 block whitespace-normal">
        <Fact separator="">{t('Coupon code')}</Fact> <Fact>{t('Single use')}</Fact>
        {useBy && (
          <>
            {' '}
            <UseBy day={useBy} isEmphasised={isSoon(useBy, now)} />
          </>
        )}
      </span>
    </span>
  );
}

function Fact({ separator = '· ', children }: { separator?: string; children: ReactNode }) {
  return (
    <span className="inline-block whitespace-nowrap">
      <span className="inline-block w-1.5 whitespace-pre">{separator}</span>
      {children}
    </span>
  );
}

function UseBy({ day, isEmphasised }: { day: string; isEmphasised: boolean }) {
  const words = t('Use by {day}', { day: formatDay(day) });
  if (!isEmphasised) return <Fact>{words}</Fact>;
  return (
    <Fact separator="">
      <span className="inline-flex items-center gap-1.5 rounded-xs bg-on-accent px-2 align-top leading-5 font-semibold text-accent">
        <Icon of={Clock} size={13} strong />
        {words}
      </span>
    </Fact>
  );
}

/** Returns a ref. Its element gets the focus when the element is mounted, if `takesFocus` returns true. */
export function useFocusOnArrival<Of extends HTMLElement>(takesFocus: () => boolean): RefObject<Of | null> {
  const element = useRef<Of>(null);
  const shouldFocus = useRef(takesFocus);
  useEffect(() => {
    if (shouldFocus.current()) element.current?.focus();
  }, []);
  return element;
}

/** R-PROD-19. */
function formatSingleUse(): string {
  return t("This code can only be used once. Visit the provider's website to redeem your offer.");
}

/** Opens the address in a new tab; `https://` is put before an address without a scheme (R-PROD-20 to R-PROD-23). */
export function VisitSite({ url, look = 'inverse' }: { url: string } & Pick<ButtonLook, 'look'>) {
  return (
    <ExternalLink className={buttonClass({ look, size: 'lg', block: true })} href={withScheme(url)}>
      {t('Visit Site To Redeem')}
      <Icon of={ArrowUpRight} />
    </ExternalLink>
  );
}

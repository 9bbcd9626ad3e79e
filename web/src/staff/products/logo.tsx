// The field with which staff set the logo of a product. The logo is saved at once, apart from the form around it.
import { LOGO, type ProductRecord, removeLogo, setLogo } from '@portal/contract';
import { ImageUp, Trash2 } from 'lucide-react';
import { type DragEvent, useId, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/dom.ts';
import { Field } from '../../ui/field.tsx';
import { Logo } from '../../ui/logo.tsx';
import { t } from '../../words/translate.ts';
import { useAction } from '../action.tsx';

/** Width and height of a stored logo, in pixels (R-CAT-03). */
const SIDE = 256;
/** A larger file is no logo, and could take all memory of the browser while it is decoded. */
const FILE_MAX = 20_000_000;
const QUALITIES = [0.9, 0.7, 0.5, 0.3];

export function LogoField({ record }: { record: ProductRecord }) {
  const { product_id: id, logo, name } = record;
  const params = { id };
  const inputId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = useAction({
    send: (picture: Blob) => call(setLogo, { params, body: picture }),
    failed: t('Failed to save the logo'),
    done: t('Logo saved'),
    changes: ['products'],
    stays: true,
  });
  const remove = useAction({
    send: () => call(removeLogo, { params }),
    failed: t('Failed to remove the logo'),
    done: t('Logo removed'),
    changes: ['products'],
    stays: true,
    // The pressed button is gone, so the focus moves to the one that sets a logo again.
    onDone: () => input.current?.parentElement?.querySelector('button')?.focus(),
  });
  const busy = save.busy || remove.busy;
  const take = async (file: File | undefined) => {
    if (file === undefined || busy) return;
    setProblem(undefined);
    const picture = await drawLogo(file);
    if (picture === null)
      setProblem(t('Your browser cannot read this file as a picture. Choose a PNG, JPEG or WebP file.'));
    else await save.run(picture);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  return (
    <Field
      group
      label={t('Logo')}
      optional
      error={problem}
      hint={t('PNG, JPEG or WebP, best square. Saved at once, and scaled to {side} × {side} pixels.', {
        side: SIDE,
      })}
    >
      {() => (
        // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way. Keyboard users press the button.
        <div
          className={classes(
            'flex flex-wrap items-center gap-3 rounded-md border-[1.5px] border-dashed p-3',
            over ? 'border-accent-graphic bg-accent-soft' : 'border-line-control',
          )}
          onDragOver={(event) => {
            if (!event.dataTransfer.types.includes('Files')) return;
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          {/* As learners see it in the light and in the dark scheme. */}
          {['light', 'dark'].map((scheme) => (
            <span
              key={scheme}
              data-theme={scheme}
              className={classes(
                'grid size-16 flex-none place-items-center rounded-md border border-line',
                scheme === 'light' ? 'bg-[#fafaf9] text-[#78716c]' : 'bg-[#1c1917] text-[#a8a29e]',
              )}
            >
              <Logo logo={logo} id={id} size={44} detail="mid" />
            </span>
          ))}
          <span className="flex flex-wrap items-center gap-2">
            <Button size="sm" icon={ImageUp} busy={save.busy} onClick={() => input.current?.click()}>
              {logo ? t('Change logo') : t('Choose a logo')}
            </Button>
            {logo && (
              <Button
                size="sm"
                look="ghost"
                icon={Trash2}
                busy={remove.busy}
                aria-label={t('Remove the logo of {product}', { product: name })}
                onClick={() => {
                  setProblem(undefined);
                  void remove.run();
                }}
              >
                {t('Remove')}
              </Button>
            )}
            <span className="text-sm text-ink-3 max-md:hidden">{t('or drop a picture here')}</span>
          </span>
          {/* The button opens it. */}
          <input
            ref={input}
            id={inputId}
            type="file"
            aria-label={t('Logo')}
            hidden
            accept={LOGO.types.join(',')}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              // Clears the input, so that the same file can be chosen again.
              target.value = '';
              void take(file);
            }}
          />
        </div>
      )}
    </Field>
  );
}

/**
 * Returns the picture of a file as WebP of 256 × 256 pixels, whole and centred on a transparent ground; as PNG, where the
 * browser writes no WebP. Returns null if the browser cannot read the file as a picture.
 */
async function drawLogo(file: File): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = SIDE;
  const context = canvas.getContext('2d');
  if (context === null || file.size > FILE_MAX) return null;
  try {
    const picture = await createImageBitmap(file);
    const scale = SIDE / Math.max(picture.width, picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, (SIDE - width) / 2, (SIDE - height) / 2, width, height);
    picture.close();
  } catch {
    return null;
  }
  let smallest: Blob | null = null;
  for (const quality of QUALITIES) {
    const drawn = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/webp', quality));
    if (drawn !== null && drawn.size <= LOGO.bytesMax) return drawn;
    smallest = drawn;
  }
  return smallest;
}

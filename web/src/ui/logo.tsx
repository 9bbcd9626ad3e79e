// The mark of a product: its logo, or the rosette of its id. Decorative, because the name stands beside it.
import { classes } from './dom.ts';
import { Rosette } from './rosette.tsx';
import type { RosetteDetail } from './rosette-shape.ts';

type LogoProps = {
  /** Path of the picture; null or undefined: the product has none. */
  logo: string | null | undefined;
  id: string;
  /** Width and height in pixels. */
  size: number;
  /** Width and height of the rosette, which looks heavier than a logo of its size. */
  rosette?: number;
  detail: RosetteDetail;
  /** True loads the picture only near the visible part of the page. */
  isLazy?: boolean;
  className?: string;
};

/** A white plate behind the logo keeps dark logos visible in the dark scheme. */
export function Logo({ logo, id, size, rosette = size, detail, isLazy = false, className }: LogoProps) {
  if (!logo) return <Rosette id={id} size={rosette} detail={detail} {...(className && { className })} />;
  return (
    <img
      src={logo}
      alt=""
      width={size}
      height={size}
      loading={isLazy ? 'lazy' : undefined}
      decoding="async"
      draggable={false}
      className={classes(
        'max-w-none rounded-[18%] bg-[#fff] object-contain outline-1 -outline-offset-1 outline-[#0000001a]',
        className,
      )}
    />
  );
}

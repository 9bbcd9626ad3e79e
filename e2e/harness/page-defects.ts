// Checks a page for accessibility and layout defects: axe violations, horizontal overflow, small or overlapping
// targets, and motion despite `prefers-reduced-motion`.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Minimum size of a target (WCAG 2.2, 2.5.8). */
const SMALLEST_TARGET_PX = 24;
/** The last entry has the size in CSS pixels of a 1280 by 1024 window at 400 % zoom (WCAG 2.2, 1.4.10). */
const LOOKS = [
  { colorScheme: 'light', width: 1440, height: 900 },
  { colorScheme: 'dark', width: 768, height: 1024 },
  { colorScheme: 'light', width: 390, height: 844 },
  { colorScheme: 'dark', width: 320, height: 256 },
] as const;
/** The largest and the smallest of `LOOKS` in the other colours. */
const LOOKS_IN_OTHER_COLOURS = [
  { colorScheme: 'dark', width: 1440, height: 900 },
  { colorScheme: 'light', width: 320, height: 256 },
] as const;
type Look = (typeof LOOKS | typeof LOOKS_IN_OTHER_COLOURS)[number];

/**
 * Checks the current state of the page on desktop, tablet, phone and at 400 % zoom, in light or dark colours. With
 * `isInBothThemes`, also checks the contrast on desktop and at 400 % zoom in the other colours. All other checks do not
 * depend on the colours.
 */
export async function expectNoDefect(page: Page, { isInBothThemes = false } = {}): Promise<void> {
  for (const look of LOOKS) {
    await setLook(page, look);
    const found = {
      axe: await findViolations(await openAxe(page)),
      tooWidePx: await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      smallTargets: await page.evaluate(findSmallTargets, SMALLEST_TARGET_PX),
      coveredTargets: await page.evaluate(findCoveredTargets),
      motion: await page.evaluate(findMotion),
    };
    expect(found, formatLook(look)).toEqual({
      axe: [],
      tooWidePx: 0,
      smallTargets: [],
      coveredTargets: [],
      motion: [],
    });
  }
  if (!isInBothThemes) return;
  for (const look of LOOKS_IN_OTHER_COLOURS) {
    await setLook(page, look);
    const axe = (await openAxe(page)).withRules('color-contrast');
    expect(await findViolations(axe), formatLook(look)).toEqual([]);
  }
}

const formatLook = ({ colorScheme, width }: Look) => `${colorScheme}, ${width} px`;

async function setLook(page: Page, { colorScheme, width, height }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await waitForRepaint(page);
}

/**
 * Returns axe for the page, without work that would take three quarters of the time of a scan: a second page for frames
 * of other origins (not opened in legacy mode), loading axe's code again, and describing the elements without a defect.
 */
async function openAxe(page: Page): Promise<AxeBuilder> {
  const isInPage = await page.evaluate(() => 'axe' in window);
  return new AxeBuilder({ page, ...(isInPage && { axeSource: ';' }) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] });
}

async function findViolations(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}

/** Waits two frames, so that the page shows the new colours and size. */
function waitForRepaint(page: Page): Promise<unknown> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/**
 * Runs in the page. Returns the targets below the minimum size. Skips links within a sentence: their height is the line
 * height, which WCAG allows.
 */
function findSmallTargets(smallestPx: number): string[] {
  const isWithinSentence = (target: Element) =>
    getComputedStyle(target).display === 'inline' &&
    target.parentElement?.closest(':not(bdi)')?.textContent.trim() !== target.textContent.trim();
  return [...document.querySelectorAll('a[href], button, input, select, textarea, [role=button]')]
    .filter((target) => target.checkVisibility({ visibilityProperty: true }) && !isWithinSentence(target))
    .map((target) => ({ target, box: (target.closest('label') ?? target).getBoundingClientRect() }))
    .filter(({ box }) => Math.min(box.width, box.height) < smallestPx)
    .map(({ target, box }) => `${target.outerHTML.slice(0, 200)} ${box.width} x ${box.height}`);
}

/**
 * Runs in the page. Returns overlapping targets. Compares only targets of the same part of the page, because one part
 * may cover another part: for example, a menu covers the main content.
 */
function findCoveredTargets(): string[] {
  const parts = 'header, main, footer, dialog, [id$=-menu], [role=menu], [role=listbox]';
  return [...document.querySelectorAll(parts)].flatMap((part) => {
    const targets = [...part.querySelectorAll('a[href], button, input, select, textarea')]
      .filter(
        (target) => target.closest(parts) === part && target.checkVisibility({ visibilityProperty: true }),
      )
      .map((target) => ({ target, box: (target.closest('label') ?? target).getBoundingClientRect() }));
    return targets.flatMap(({ target, box }, index) =>
      targets
        .slice(index + 1)
        .filter(({ box: other }) => {
          const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
          const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
          return Math.min(width, height) > 1;
        })
        .map((other) => `${target.outerHTML.slice(0, 200)} and ${other.target.outerHTML.slice(0, 200)}`),
    );
  });
}

/** Runs in the page. Returns elements that still move with reduced motion. Busy indicators (`data-turns`) may move. */
function findMotion(): string[] {
  const isLong = (times: string, longestMs: number) =>
    times.split(',').some((time) => Number.parseFloat(time) * 1000 > longestMs);
  return [...document.querySelectorAll('body *:not([data-turns])')].flatMap((element) =>
    ['', '::before', '::after'].flatMap((part) => {
      const { animationName, animationDuration, transitionDuration } = getComputedStyle(element, part);
      const isMoving =
        (animationName !== 'none' && isLong(animationDuration, 1)) || isLong(transitionDuration, 0);
      return isMoving ? [`${element.outerHTML.slice(0, 200)} ${part}`] : [];
    }),
  );
}

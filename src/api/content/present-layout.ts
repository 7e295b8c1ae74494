/** Turns what a page's front matter says about its layout into the whole layout that clients get. */
import type { PageAttributes } from '../../content/types.js'
import type { Page } from '../../model/index.js'

type Layout = Page['layout']

/** The layout of a page that says nothing about it. */
const usual: Layout = {
  width: 'default',
  cover: true,
  coverSize: 'full',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
}

/** All members of a layout. A width or size that clients do not know counts as the usual one. */
export function presentLayout(written: PageAttributes['layout'] = {}): Layout {
  const { width, coverSize, coverMask, ...shown } = written
  return {
    ...usual,
    ...shown,
    width: width === 'wide' ? 'wide' : 'default',
    coverSize: coverSize === 'hero' ? 'hero' : 'full',
    coverMask: coverMask === 'radial' ? 'radial' : 'none',
  }
}

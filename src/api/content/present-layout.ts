/** Completes the layout from a page's front matter with the defaults. */
import type { PageAttributes } from '../../content/types.js'
import type { Page } from '../../model/index.js'

type Layout = Page['layout']

/** The default layout of a page. */
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

/** Returns a layout with all members. A width or size that clients do not know becomes the default. */
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

/** The medium of sites: the markup that their theme (`src/site/theme`) and their script expect. */
import type { BlockNode } from '../../content/types.js'
import { printBlocks } from '../blocks.js'
import { type BlockRenderer, type Medium, textOf } from '../types.js'
import { siteApi } from './api.js'
import { siteCode } from './code.js'
import { siteContainers } from './containers.js'
import { siteFormula } from './formula.js'
import { color, siteInlines } from './inlines.js'
import { siteMedia } from './media.js'
import { siteTable } from './tables.js'
import { footnotes, paragraph, textBlocks } from './text.js'

export const site: Medium = {
  blocks: new Map<string, BlockRenderer>([
    ...printBlocks,
    ...Object.entries({
      ...textBlocks,
      ...siteCode,
      ...siteContainers,
      ...siteMedia,
      ...siteApi,
      math: (node: BlockNode) => [siteFormula(textOf(node.data, 'formula'), true)],
      table: siteTable,
    }),
  ]),
  inlines: siteInlines,
  paragraph,
  color,
  end: footnotes,
}

/** The blocks of a page in two versions: one row each, with unchanged blocks collapsed. Reviews and the history use them. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../shell/icons.js'
import { BlockHtml } from '../space/blocks.js'
import { plural } from '../words/index.js'
import type { ChangedBlock } from './request.js'
import { reviewWords } from './words.js'

const CLASSES: Record<ChangedBlock['change'], string> = {
  unchanged: '',
  changed: 'chg',
  added: 'add',
  removed: 'del',
  moved: 'chg',
}

/** The content next to a block. */
export interface Beside {
  /** Below the state of the block, in the margin. */
  margin?: ComponentChildren
  /** In the column on the right. */
  aside?: ComponentChildren
  /** Above the text, for example a button to comment. */
  over?: ComponentChildren
  /** Whether an unchanged block stays visible. */
  isKept?: boolean
}

type Part = { blocks: ChangedBlock[]; isFolded: boolean }

const isHeading = ({ html }: ChangedBlock): boolean => /^<h[1-6]/.test(html)

/** Groups the blocks. A heading right before a change is context for it. */
function partsOf(blocks: readonly ChangedBlock[], isKept: (block: ChangedBlock) => boolean): Part[] {
  const parts: Part[] = []
  for (const [at, block] of blocks.entries()) {
    const next = blocks[at + 1]
    const isContext = isHeading(block) && next !== undefined && next.change !== 'unchanged'
    const isFolded = block.change === 'unchanged' && !isKept(block) && !isContext
    const last = parts.at(-1)
    if (last?.isFolded === isFolded) last.blocks.push(block)
    else parts.push({ blocks: [block], isFolded })
  }
  return parts
}

/** Names a block in addresses: `#b-n4`. */
export const anchorOf = ({ before, after }: ChangedBlock): string => `b-${after?.node ?? `old-${before?.node ?? ''}`}`

/** Renders the blocks. `current` is the anchor of the selected block. */
export function ChangedBlocks({
  blocks,
  current,
  beside = () => ({}),
}: {
  blocks: readonly ChangedBlock[]
  current?: string | null
  beside?: (block: ChangedBlock) => Beside
}) {
  const parts = partsOf(blocks, (block) => beside(block).isKept === true)
  const rows = (shown: readonly ChangedBlock[]) =>
    shown.map((block) => (
      <Row key={anchorOf(block)} block={block} isCurrent={current === anchorOf(block)} beside={beside(block)} />
    ))
  return (
    <>
      {parts.map((part) =>
        part.isFolded ? (
          <Fold key={`fold-${anchorOf(part.blocks[0] as ChangedBlock)}`} blocks={part.blocks}>
            {() => rows(part.blocks)}
          </Fold>
        ) : (
          rows(part.blocks)
        ),
      )}
    </>
  )
}

function Row({ block, isCurrent, beside }: { block: ChangedBlock; isCurrent: boolean; beside: Beside }) {
  const w = reviewWords().blocks
  const count = (pattern: RegExp): number => block.html.match(pattern)?.length ?? 0
  const [cells, items] = [count(/<t[dh][^>]* data-change/g), count(/<li[^>]* data-change/g)]
  const notes = [
    block.change === 'unchanged' ? null : w[block.change],
    cells > 0 ? plural(w.cells, cells) : null,
    items > 0 ? plural(w.items, items) : null,
  ].filter((note) => note !== null)
  return (
    <div class={`blk ${CLASSES[block.change]} ${isCurrent ? 'at' : ''}`} id={anchorOf(block)}>
      <div class="mg">
        {notes.map((note, at) => (
          <span key={note}>
            {at > 0 && (
              <>
                <i class="sep">, </i>
                <br />
              </>
            )}
            {note}
          </span>
        ))}
        {beside.margin}
      </div>
      <div class="tx">
        <BlockHtml html={block.html} />
        {beside.over}
      </div>
      <div class="as">{beside.aside}</div>
    </div>
  )
}

const MAX_NAME = 48

function textOf(html: string): string {
  const text = new DOMParser().parseFromString(html, 'text/html').body.textContent.replace(/\s+/g, ' ').trim()
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text
}

function Fold({ blocks, children }: { blocks: readonly ChangedBlock[]; children: () => ComponentChildren }) {
  const w = reviewWords().blocks
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <>{children()}</>
  const first = blocks.map(({ html }) => textOf(html)).find((text) => text !== '')
  return (
    <div class="fold">
      <button type="button" aria-expanded="false" onClick={() => setOpen(true)}>
        <Icon name="dots" />
        {first === undefined ? plural(w.fold, blocks.length) : plural(w.foldNamed, blocks.length, { first })}
      </button>
    </div>
  )
}

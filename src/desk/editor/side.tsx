/** The table of contents next to the text. Entries move by drag and by Alt with the arrow keys. */
import { useEffect, useState } from 'preact/hooks'
import { reload } from '../api/data.js'
import { open } from '../route.js'
import { Dialog } from '../shell/dialog.js'
import { Field } from '../shell/fields.js'
import { Icon, type IconName } from '../shell/icons.js'
import { attempt, toast } from '../shell/toast.js'
import { findPage, keyOf, type Page, type Place, usePages } from '../space/space.js'
import { PageTree } from '../space/tree.js'
import { fill, words } from '../words/index.js'
import { addPage, type Direction, move, type Position, positionOf, remove, rename, stepFrom } from './contents.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

const KEYS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
}

/** Returns the address of the editor of a page. */
export const editorHref = ({ spaceId, changeRequest }: Place, page: string): string =>
  changeRequest === undefined ? `/s/${spaceId}/p/${page}/edit` : `/s/${spaceId}/c/${changeRequest}/p/${page}`

/** The page of a link in the tree. */
const pageOf = (target: EventTarget | null): string | null => {
  const link = target instanceof Element ? target.closest('a') : null
  return /\/p\/([^/]+?)(?:\/edit)?$/.exec(link?.pathname ?? '')?.[1] ?? null
}

type Question = { kind: 'new' } | { kind: 'rename'; page: Page }

export function EditorSide({ writing, marks }: { writing: Writing; marks: ReadonlyMap<string, 'e' | 'n'> }) {
  const w = editorWords().toc
  const place = writing.place.value
  const pages = usePages(place).value ?? []
  const { page } = writing.input
  const [question, setQuestion] = useState<Question | null>(null)
  const [said, setSaid] = useState('')
  const changed = (): Promise<void> => reload(`${keyOf(writing.place.value)}/pages`)
  const moveTo = async (id: string, to: Position | null): Promise<void> => {
    const found = findPage(pages, id)
    const from = positionOf(pages, id)
    if (!found || !from || !to || !(await ready(writing))) return
    const done = async (position: Position): Promise<void> => {
      await move(writing.place.value, found.page, position)
      await changed()
    }
    if (!(await attempt(() => done(to)))) return
    const parent = to.into === null ? w.top : (findPage(pages, to.into)?.page.title ?? w.top)
    const siblings = to.into === null ? pages : (findPage(pages, to.into)?.page.pages ?? [])
    const count = siblings.length + (from.into === to.into ? 0 : 1)
    setSaid(fill(w.moved, { page: found.page.title, position: to.at + 1, count, parent }))
    toast(fill(w.movedBack, { page: found.page.title }), { undo: () => done(from) })
    refocus(id)
  }
  useNewPageKey(() => setQuestion({ kind: 'new' }))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys and drags of the links in it
    <div
      class="toc-edit"
      onKeyDown={(event) => {
        const direction = event.altKey ? KEYS[event.key] : undefined
        const id = pageOf(event.target)
        if (direction === undefined || id === null) return
        event.preventDefault()
        event.stopPropagation()
        void moveTo(id, stepFrom(pages, id, direction))
      }}
      {...dragging(pages, moveTo)}
    >
      <PageTree
        pages={pages}
        current={page.id}
        hrefOf={(one) => editorHref(place, one.id)}
        markOf={(one) => <PageMark kind={marks.get(one.id)} />}
      />
      <p class="vh" role="status">
        {said}
      </p>
      {!writing.input.suggests && (
        <>
          <div class="nav-h" />
          <button type="button" class="btn small quiet full" onClick={() => setQuestion({ kind: 'new' })}>
            <Icon name="plus" />
            {w.newPage} <kbd class="hide-s">Alt N</kbd>
          </button>
          <EntryMenu
            page={page}
            run={(action) => {
              if (action === 'rename') setQuestion({ kind: 'rename', page })
              else if (action === 'delete') void deletePage(writing, pages, page, changed)
              else void moveTo(page.id, stepFrom(pages, page.id, action))
            }}
          />
        </>
      )}
      {question && (
        <TitleDialog
          question={question}
          onClose={() => setQuestion(null)}
          done={async (title) => {
            if (!(await ready(writing))) return
            if (question.kind === 'new') {
              const made = await addPage(writing.place.value, title, positionOf(pages, page.id))
              await changed()
              if (made !== null) open(editorHref(writing.place.value, made))
            } else {
              await writing.settled()
              await rename(writing.place.value, question.page, title)
              await writing.refresh()
              await changed()
              toast(fill(w.renamed, { page: title }))
            }
            setQuestion(null)
          }}
        />
      )}
    </div>
  )
}

/** Starts a change request if the main content rejects edits. */
const ready = async (writing: Writing): Promise<boolean> =>
  writing.place.value.changeRequest !== undefined || writing.isLive || attempt(() => writing.startChange())

/** After a move the entry has the focus again. */
const refocus = (id: string): void =>
  void requestAnimationFrame(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('.tree a')].find((link) => pageOf(link) === id)?.focus(),
  )

async function deletePage(
  writing: Writing,
  pages: readonly Page[],
  page: Page,
  changed: () => Promise<void>,
): Promise<void> {
  if (!(await ready(writing))) return
  const w = editorWords().toc
  await attempt(async () => {
    await writing.settled()
    const place = writing.place.value
    const undo = await remove(place, pages, page)
    await changed()
    const href = editorHref(place, page.id)
    open(place.changeRequest === undefined ? `/s/${place.spaceId}` : `/s/${place.spaceId}/c/${place.changeRequest}`)
    toast(fill(w.deleted, { page: page.title }), {
      undo: async () => {
        await undo()
        await reload(`${keyOf(place)}/pages`)
        open(href)
      },
    })
  })
}

function PageMark({ kind }: { kind: 'e' | 'n' | undefined }) {
  const w = editorWords().toc
  if (kind === undefined) return null
  const name = kind === 'e' ? w.edited : w.added
  return (
    <span class={`mk ${kind}`} title={name} aria-label={name} role="img">
      {kind === 'e' ? '±' : '+'}
    </span>
  )
}

function useNewPageKey(run: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.key.toLowerCase() !== 'n') return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

type Action = Direction | 'rename' | 'delete'
const ACTIONS: readonly [Action, IconName][] = [
  ['up', 'arrow-up'],
  ['down', 'arrow-down'],
  ['in', 'arrow'],
  ['out', 'back'],
  ['rename', 'edit'],
  ['delete', 'trash'],
]

function EntryMenu({ page, run }: { page: Page; run: (action: Action) => void }) {
  const w = editorWords().toc
  return (
    <>
      <button type="button" class="btn small quiet full" popovertarget="m-entry" title={w.help}>
        <Icon name="dots" />
        {w.thisEntry}
      </button>
      <div class="pop menu" popover id="m-entry" role="dialog" aria-label={fill(w.actions, { page: page.title })}>
        {ACTIONS.map(([action, icon]) => (
          <button
            type="button"
            key={action}
            onClick={() => {
              document.getElementById('m-entry')?.hidePopover()
              run(action)
            }}
          >
            <Icon name={icon} />
            {w[action]}
          </button>
        ))}
      </div>
    </>
  )
}

function TitleDialog({
  question,
  onClose,
  done,
}: {
  question: Question
  onClose: () => void
  done: (title: string) => Promise<void>
}) {
  const w = editorWords().toc
  const [title, setTitle] = useState(question.kind === 'rename' ? question.page.title : '')
  const submit = (): void => {
    if (title.trim() !== '') void attempt(() => done(title.trim()))
  }
  return (
    <Dialog
      title={question.kind === 'new' ? w.newPage : fill(w.renameTitle, { page: question.page.title })}
      onClose={onClose}
      footer={
        <>
          <span class="grow" />
          <button type="button" class="btn quiet" onClick={onClose}>
            {words().common.cancel}
          </button>
          <button type="button" class="btn primary" onClick={submit}>
            {question.kind === 'new' ? w.create : w.rename}
          </button>
        </>
      }
    >
      <div class="stack">
        <Field label={question.kind === 'new' ? w.newTitle : editorWords().settings.pageTitle}>
          {(attributes) => (
            <input
              class="in"
              {...attributes}
              maxLength={255}
              value={title}
              onInput={(event) => setTitle(event.currentTarget.value)}
              onKeyDown={(event) => event.key === 'Enter' && !event.isComposing && submit()}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}

/** The handlers for dragging: the upper part of an entry is before it, the lower part after it, the right part in it. */
function dragging(pages: readonly Page[], moveTo: (id: string, to: Position | null) => Promise<void>) {
  const placeAt = (event: DragEvent): { id: string; where: 'before' | 'after' | 'in' } | null => {
    const id = pageOf(event.target)
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (id === null || !link) return null
    const box = link.getBoundingClientRect()
    const isIn = event.clientX - box.left > box.width * 0.6
    return { id, where: isIn ? 'in' : event.clientY < box.top + box.height / 2 ? 'before' : 'after' }
  }
  const show = (target: EventTarget | null, where: string | null): void => {
    for (const one of document.querySelectorAll<HTMLElement>('.tree [data-drop]')) delete one.dataset.drop
    const link = target instanceof Element ? target.closest('a') : null
    if (link && where !== null) link.dataset.drop = where
  }
  return {
    onDragStart: (event: DragEvent) => event.dataTransfer?.setData('application/x-page', pageOf(event.target) ?? ''),
    onDragOver: (event: DragEvent) => {
      const place = event.dataTransfer?.types.includes('application/x-page') ? placeAt(event) : null
      if (!place) return
      event.preventDefault()
      show(event.target, place.where)
    },
    onDragEnd: () => show(null, null),
    onDrop: (event: DragEvent) => {
      const place = placeAt(event)
      const id = event.dataTransfer?.getData('application/x-page')
      show(null, null)
      if (!place || !id || place.id === id) return
      event.preventDefault()
      void moveTo(id, dropPosition(pages, id, place.id, place.where))
    },
  }
}

/** Returns the position of a drop; null if the entry would be within itself. */
function dropPosition(
  pages: readonly Page[],
  id: string,
  target: string,
  where: 'before' | 'after' | 'in',
): Position | null {
  const moved = findPage(pages, id)
  if (!moved || findPage(moved.page.pages, target)) return null
  const to = positionOf(pages, target)
  if (!to) return null
  if (where === 'in') return { into: target, at: findPage(pages, target)?.page.pages.length ?? 0 }
  const from = positionOf(pages, id)
  const at = to.at + (where === 'after' ? 1 : 0)
  return { into: to.into, at: from && from.into === to.into && from.at < at ? at - 1 : at }
}

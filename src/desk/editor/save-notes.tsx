/** The state of saving: a word in the ribbon, and a note with the next step if the text is not on the server. */
import { useEffect, useState } from 'preact/hooks'
import { hasEnded } from '../api/session.js'
import { open } from '../route.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Note, type Tone } from '../shell/notes.js'
import { attempt, toast } from '../shell/toast.js'
import { fill, language, plural } from '../words/index.js'
import { changeContent } from './page-api.js'
import { WaysOn } from './refused.js'
import { isUnsaved, type Phase } from './saving.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

/** Returns a time of the day. */
export const clockTime = (at: number): string =>
  new Date(at).toLocaleTimeString(language.value, { hour: '2-digit', minute: '2-digit' })

const PATIENCE_MS = 300

/** The state in the ribbon. It is announced. */
export function SaveState({ writing }: { writing: Writing }) {
  const w = editorWords().save
  const { phase, savedAt } = writing.saver.state.value
  const isBusy = phase === 'waiting' || phase === 'saving' || phase === 'merging'
  const [isPatient, setPatient] = useState(false)
  useEffect(() => {
    if (!isBusy) return setPatient(false)
    const timer = setTimeout(() => setPatient(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isBusy])
  const bad: Partial<Record<Phase, string>> = {
    retrying: w.notSaved,
    'signed-out': w.signedOut,
    forbidden: writing.input.suggests ? w.notSent : w.forbidden,
    gone: w.gone,
    rejected: w.rejected,
    conflict: w.conflict,
  }
  const [text, icon]: [string, IconName] =
    bad[phase] !== undefined
      ? [bad[phase], phase === 'conflict' ? 'warn' : 'offline']
      : isBusy && isPatient
        ? [w.saving, 'sync']
        : savedAt === null
          ? [w.unchanged, 'check']
          : [fill(w.saved, { time: clockTime(savedAt) }), 'check']
  return (
    <span class={`save ${bad[phase] === undefined ? '' : 'bad'}`} role="status" data-phase={phase}>
      <Icon name={icon} />
      {text}
    </span>
  )
}

/** The note above the text: the event, the state of the text, and the next step. */
export function SaveNote({ writing, compare }: { writing: Writing; compare: () => void }) {
  const state = writing.saver.state.value
  const w = editorWords().save
  const kept = writing.keeper.works ? '' : w.unsafe
  if (writing.copy.value) return <FoundNote writing={writing} compare={compare} />
  switch (state.phase) {
    case 'retrying':
      return <OfflineNote writing={writing} more={kept} />
    case 'signed-out':
      return (
        <Message title={w.signedOutTitle} text={w.signedOutLead} more={kept} writing={writing}>
          <button type="button" class="btn small primary" onClick={() => void (hasEnded.value = true)}>
            {w.signIn}
          </button>
        </Message>
      )
    case 'forbidden':
      return <RefusedNote writing={writing} more={kept} />
    case 'rejected':
      return <Message title={w.rejectedTitle} text={state.reason} more={kept} writing={writing} />
    case 'gone':
      return <GoneNote writing={writing} />
    case 'conflict':
      return <ConflictNote writing={writing} compare={compare} />
    default:
      if (writing.input.suggests) return <RefusedNote writing={writing} more={kept} />
      return isUnsaved(state) || !writing.saver.combinedAt.value ? null : (
        <Note tone="good">
          <p>{w.combined}</p>
        </Note>
      )
  }
}

interface MessageProps {
  title: string
  text: string
  more?: string
  tone?: Tone
  writing: Writing
  children?: preact.ComponentChildren
}

const Message = ({ title, text, more = '', tone = 'bad', writing, children }: MessageProps) => (
  <Note
    tone={tone}
    actions={
      <>
        {children}
        <CopyButtons writing={writing} />
      </>
    }
  >
    <p>
      <b>{title}</b> {text} {more}
    </p>
  </Note>
)

function RefusedNote({ writing, more }: { writing: Writing; more: string }) {
  const w = editorWords()
  const { suggests } = writing.input
  const { reason } = writing.saver.state.value
  const isSuggested = writing.wayOn.value === 'suggest' && !suggests
  return (
    <Note
      tone={suggests ? 'wait' : 'bad'}
      actions={
        <WaysOn writing={writing}>
          <CopyButtons writing={writing} />
        </WaysOn>
      }
    >
      <p>
        <b>{suggests ? w.refused.suggestTitle : w.save.forbiddenTitle}</b> {suggests ? w.refused.suggestLead : reason}{' '}
        {isSuggested && w.refused.goOn} {writing.wayOn.value === 'suggest-in' && w.refused.onlyComment} {more}
      </p>
    </Note>
  )
}

function CopyButtons({ writing }: { writing: Writing }) {
  const w = editorWords().save
  return (
    <>
      <button
        type="button"
        class="btn small"
        onClick={() =>
          void attempt(async () => {
            await navigator.clipboard.writeText(writing.text.exact())
            toast(w.copied)
          })
        }
      >
        {w.copyText}
      </button>
      <button type="button" class="btn small" onClick={() => download(writing)}>
        {w.download}
      </button>
    </>
  )
}

function download({ text, input }: Writing): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text.exact()], { type: 'text/markdown' }))
  link.download = input.source.path.split('/').at(-1) ?? 'page.md'
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
}

const wordCount = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0

function OfflineNote({ writing, more }: { writing: Writing; more: string }) {
  const w = editorWords().save
  const [since] = useState(() => Date.now())
  const { reason } = writing.saver.state.value
  const base = wordCount(writing.text.base)
  const count = Math.max(1, Math.abs(wordCount(writing.view.state.doc.toString()) - base))
  const text = fill(w.offline, { words: plural(editorWords().words, count), time: clockTime(since) })
  return (
    <Message title={reason === '' ? w.offlineTitle : w.serverTitle} text={text} more={more} writing={writing}>
      <button type="button" class="btn small" onClick={() => writing.saver.send({ type: 'now' })}>
        {w.tryNow}
      </button>
    </Message>
  )
}

function GoneNote({ writing }: { writing: Writing }) {
  const w = editorWords().save
  const bringBack = (): Promise<boolean> =>
    attempt(async () => {
      const { place, input, text } = writing
      const { spaceId, changeRequest } = place.value
      const document = { markdown: text.exact() }
      const [made] = await changeContent(place.value, [{ operation: 'insert_page', title: input.page.title, document }])
      writing.discardCopy()
      const where = changeRequest === undefined ? '' : `/c/${changeRequest}`
      open(`/s/${spaceId}${where}/p/${made?.page}${changeRequest === undefined ? '/edit' : ''}`, { replace: true })
    })
  return (
    <Message title={w.goneTitle} text={w.gone2} writing={writing}>
      <button type="button" class="btn small primary" onClick={() => void bringBack()}>
        {w.bringBack}
      </button>
    </Message>
  )
}

function ConflictNote({ writing, compare }: { writing: Writing; compare: () => void }) {
  const w = editorWords().save
  const conflicts = writing.text.pending?.conflicts ?? []
  const count = conflicts.length
  const all = (choice: 'mine' | 'theirs') => () => writing.decide(conflicts.map(() => choice))
  const { doc } = writing.view.state
  const line = doc.lineAt(Math.min(conflicts[0]?.from ?? 0, doc.length)).number
  return (
    <div class="note wait" role="alert">
      <Icon name="warn" />
      <div>
        <p>
          <b>{fill(w.conflictTitle, { name: writing.other.value ?? w.someone })}</b>{' '}
          {plural(w.conflictLead, count, { line })}
        </p>
        <div class="acts">
          <button type="button" class="btn small primary" onClick={compare}>
            {w.compareBoth}
          </button>
          <button type="button" class="btn small" onClick={all('mine')}>
            {plural(w.keepMine, count)}
          </button>
          <button type="button" class="btn small" onClick={all('theirs')}>
            {plural(w.keepTheirs, count)}
          </button>
        </div>
      </div>
    </div>
  )
}

function FoundNote({ writing, compare }: { writing: Writing; compare: () => void }) {
  const w = editorWords().save
  const at = writing.copy.value?.at ?? 0
  return (
    <Note
      tone="wait"
      actions={
        <>
          <button type="button" class="btn small" onClick={compare}>
            {w.compare}
          </button>
          <button type="button" class="btn small primary" onClick={() => writing.restoreCopy()}>
            {w.restore}
          </button>
          <button type="button" class="btn small" onClick={() => writing.discardCopy()}>
            {w.discard}
          </button>
        </>
      }
    >
      <p>
        <b>{fill(w.foundTitle, { time: new Date(at).toLocaleString(language.value) })}</b> {w.found}
      </p>
    </Note>
  )
}

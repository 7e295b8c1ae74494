/** The pages of a suggestion, for readers without script, and the confirmation of guests. */
import type { Frame } from '../frame.js'
import type { Navigation } from '../navigation.js'
import type { SuggestFault, SuggestWords } from '../suggest/data.js'
import type { SuggestForm } from '../suggest/fields.js'
import { Surroundings } from './page.js'

/** The step of the dialog. */
export type SuggestView =
  | { kind: 'choose'; fault?: SuggestFault }
  | { kind: 'form' | 'stale'; fault?: SuggestFault; form: SuggestForm }
  | { kind: 'sent' | 'confirmed' }
  | { kind: 'app'; to: string }
  | { kind: 'confirm'; secret: string; text: string }
  | { kind: 'fault'; fault: SuggestFault }

export interface SuggestModel {
  name: string
  /** The address of the form. */
  action: string
  sheet: string
  /** Absent for confirmations. */
  page?: { path: string; href: string; title: string }
  blocks: readonly { id: string; source: string }[]
  takesGuests: boolean
  view: SuggestView
  navigation?: Navigation
}

const NO_NAVIGATION: Navigation = { items: [], source: '' }

export const SuggestLayout = ({ frame, model }: { frame: Frame; model: SuggestModel }) => (
  <Surroundings
    frame={frame}
    navigation={model.navigation ?? NO_NAVIGATION}
    variants={[]}
    hasTree={model.navigation !== undefined}
    hasOutline={false}
  >
    <main id="ui~main">
      <link rel="stylesheet" href={model.sheet} />
      <div class="head">
        <h1>{model.name}</h1>
      </div>
      <div class="sg-page">
        <View model={model} words={frame.words.suggest} />
        {model.page === undefined ? null : (
          <p>
            <a href={model.page.href}>{model.page.title}</a>
          </p>
        )}
      </div>
    </main>
  </Surroundings>
)

function View({ model, words }: { model: SuggestModel; words: SuggestWords }) {
  const { view } = model
  switch (view.kind) {
    case 'choose':
      return <Choice model={model} words={words} fault={view.fault} />
    case 'form':
      return <Form model={model} words={words} view={view} />
    case 'stale':
      return (
        <>
          <Fault fault={view.fault} words={words} />
          <textarea class="sg-text" aria-label={words.text} readonly rows={8} dir="auto">
            {view.form.text}
          </textarea>
          <Choice model={model} words={words} />
        </>
      )
    case 'sent':
      return (
        <>
          <h2>{words.sent}</h2>
          <p>{words.sentNote}</p>
        </>
      )
    case 'confirmed':
      return (
        <>
          <h2>{words.thanks}</h2>
          <p>{words.thanksNote}</p>
        </>
      )
    case 'app':
      return (
        <>
          <p>
            {words.memberNote} {words.openAppNote}
          </p>
          <p>
            <a class="btn primary" href={view.to} rel="nofollow noopener">
              {words.openApp}
            </a>
          </p>
        </>
      )
    case 'confirm':
      return (
        <form class="sg-form" method="post" action={model.action}>
          <pre class="code wrap" dir="auto">
            {view.text}
          </pre>
          <p>{words.privacy}</p>
          <input type="hidden" name="confirm" value={view.secret} />
          <button type="submit" class="btn primary">
            {words.confirm}
          </button>
        </form>
      )
    case 'fault':
      return <Fault fault={view.fault} words={words} />
  }
}

const Fault = ({ fault, words }: { fault: SuggestFault | undefined; words: SuggestWords }) =>
  fault === undefined ? null : (
    <p class="sg-fault" role="alert">
      {words[fault]}
    </p>
  )

/** The parts of the page, each with a link to its form. */
const Choice = ({
  model: { action, page, blocks },
  words,
  fault,
}: {
  model: SuggestModel
  words: SuggestWords
  fault?: SuggestFault | undefined
}) => (
  <>
    <Fault fault={fault} words={words} />
    <p>{blocks.length === 0 ? words.none : words.choose}</p>
    <ul class="sg-list">
      {blocks.map(({ id, source }) => (
        <li>
          <a
            href={`${action}?${new URLSearchParams({ page: page?.path ?? '/', block: id })}`}
            dir="auto"
            rel="nofollow"
          >
            {excerpt(source)}
          </a>
        </li>
      ))}
    </ul>
  </>
)

const excerpt = (source: string): string => {
  const letters = [...source.replace(/\s+/g, ' ')]
  return letters.length > 120 ? `${letters.slice(0, 120).join('')}…` : letters.join('')
}

const Form = ({
  model: { action, page, takesGuests },
  words,
  view: { form, fault },
}: {
  model: SuggestModel
  words: SuggestWords
  view: { form: SuggestForm; fault?: SuggestFault }
}) => (
  <form class="sg-form" method="post" action={action}>
    <Fault fault={fault} words={words} />
    <input type="hidden" name="page" value={page?.path ?? '/'} />
    <input type="hidden" name="block" value={form.block} />
    <label>
      {words.text}
      <textarea class="sg-text" name="text" rows={10} required spellcheck dir="auto">
        {/* The first line feed of a text area is dropped. */}
        {`\n${form.text}`}
      </textarea>
    </label>
    <div class="sg-member">
      <p>{words.memberNote}</p>
      {/* The fields of guests are not for members. */}
      <button type="submit" class="btn primary" name="as" value="member" formnovalidate>
        {words.asMember}
      </button>
    </div>
    {takesGuests ? (
      <fieldset>
        <legend>{words.guest}</legend>
        <label>
          {words.name}
          <input name="name" autocomplete="name" maxlength={100} required value={form.name} />
        </label>
        <label>
          {words.mail}
          <input name="email" type="email" autocomplete="email" maxlength={254} required value={form.email} />
        </label>
        <p>{words.privacy}</p>
        <button type="submit" class="btn" name="as" value="guest">
          {words.send}
        </button>
      </fieldset>
    ) : null}
  </form>
)

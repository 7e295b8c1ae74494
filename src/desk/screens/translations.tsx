/** The translations of the spaces of an organization. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { AreaField, CheckField, ChoiceField, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { AddButton, Listing, OpeningRow, usePages } from '../admin/lists.js'
import { useSpaces } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { adminWords } from '../admin/words.js'
import { Dialog } from '../shell/dialog.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, Note, type Tone } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill, language } from '../words/index.js'

type Translation = Schemas['Translation']
type Language = Schemas['Language']
type Engine = NonNullable<Translation['engine']>

export function Translations({ org = '' }: { org?: string }) {
  const w = adminWords().translations
  const [isAdding, setAdding] = useState(false)
  return (
    <OrganizationFrame
      id={org}
      part="translations"
      end={({ permissions }) => permissions.createContent && <AddButton text={w.add} onClick={() => setAdding(true)} />}
    >
      {(organization) => (
        <>
          <p class="ink2">{w.lead}</p>
          <List organization={organization} />
          {isAdding && <TranslationForm organization={organization} onClose={() => setAdding(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

/** The name of a language in the language of the reader. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames([language.value], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

const STATES: Record<Translation['status'], [Tone, IconName]> = {
  pending: ['', 'clock'],
  running: ['', 'sync'],
  completed: ['good', 'check'],
  failed: ['bad', 'warn'],
}

function List({ organization }: { organization: Organization }) {
  const w = adminWords().translations
  const spaces = new Map((useSpaces(organization.id) ?? []).map(({ id, title }) => [id, title]))
  const list = usePages<Translation>(`orgs/${organization.id}/translations`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/translations', {
        params: { path: { organizationId: organization.id }, query },
      }),
    ),
  )
  return (
    <Listing
      of={list}
      icon="lang"
      noneTitle={w.noneTitle}
      none={w.none}
      columns={[
        { name: w.source },
        { name: w.language },
        { name: w.state },
        { name: w.engine, class: 'hide-m' },
        { name: w.updated, class: 'hide-s' },
        { name: w.details, isHidden: true },
      ]}
    >
      {(one) => (
        <OpeningRow
          key={one.id}
          id={one.id}
          label={fill(adminWords().lists.details, { name: spaces.get(one.source.space) ?? one.id })}
          span={6}
          cells={
            <>
              <td>
                <a href={`/s/${one.source.space}`}>{spaces.get(one.source.space) ?? one.source.space}</a>
              </td>
              <td>{languageName(one.language)}</td>
              <td>
                <Chip tone={STATES[one.status][0]} icon={STATES[one.status][1]}>
                  {w.states[one.status]}
                </Chip>
              </td>
              <td class="hide-m">{one.engine ? w.engines[one.engine] : '–'}</td>
              <td class="hide-s muted">
                <Time iso={one.updatedAt} />
              </td>
            </>
          }
        >
          {() => <One organization={organization} translation={one} again={list.again} />}
        </OpeningRow>
      )}
    </Listing>
  )
}

function One({
  organization,
  translation,
  again,
}: {
  organization: Organization
  translation: Translation
  again: () => Promise<void>
}) {
  const w = adminWords().translations
  const [ask, question] = useQuestion()
  const params = { path: { organizationId: organization.id, translationId: translation.id } }
  const { result, stats, diagnostics, error } = translation
  return (
    <div class="stack">
      {error && (
        <Note tone="bad">
          <p>{error.message}</p>
        </Note>
      )}
      <dl class="kv sm">
        <dt>{w.result}</dt>
        <dd>
          <a href={`/s/${result.space}`}>{w.openResult}</a>
          {result.changeRequest !== undefined && (
            <>
              {' · '}
              <a href={`/s/${result.space}/c/${result.changeRequest}`}>{w.openRequest}</a>
            </>
          )}
        </dd>
        <dt>{w.counts}</dt>
        <dd>{fill(w.counted, { pages: stats.totalPages, words: stats.totalWords, runs: stats.runs })}</dd>
        <dt>{w.automatic}</dt>
        <dd>
          {translation.automatic ? fill(w.upTo, { characters: translation.automatic.charactersPerMonth }) : w.byHand}
        </dd>
      </dl>
      {diagnostics.length > 0 && (
        <ul class="list panel sm">
          {diagnostics.map(({ path, reason }) => (
            <li key={path}>
              <Icon name="warn" />
              <span class="grow">
                <code>{path}</code> {reason}
              </span>
            </li>
          ))}
        </ul>
      )}
      {translation.permissions.edit && (
        <div class="row wrap">
          <button
            type="button"
            class="btn small"
            onClick={() =>
              attempt(async () => {
                await body(api.POST('/v1/orgs/{organizationId}/translations/{translationId}/run', { params }))
                await again()
                toast(w.started)
              })
            }
          >
            <Icon name="sync" />
            {w.run}
          </button>
          <button
            type="button"
            class="btn small quiet"
            onClick={() =>
              ask({
                title: w.deleteTitle,
                text: w.deleteText,
                button: w.delete,
                run: async () => {
                  await body(api.DELETE('/v1/orgs/{organizationId}/translations/{translationId}', { params }))
                  await again()
                },
              })
            }
          >
            <Icon name="trash" />
            {w.delete}
          </button>
        </div>
      )}
      {question}
    </div>
  )
}

const TARGETS = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pl', 'pt', 'zh'] as const
const ENGINES = ['deepl', 'libretranslate', 'openai', 'apertium'] as const

/** "CPU = Prozessor", one per line. */
const glossaryOf = (text: string) =>
  text.split('\n').flatMap((line) => {
    const [source = '', target = ''] = line.split('=').map((one) => one.trim())
    return source === '' || target === '' ? [] : [{ source, target }]
  })

function TranslationForm({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const w = adminWords().translations
  const spaces = useSpaces(organization.id) ?? []
  const [space, setSpace] = useState('')
  const [target, setTarget] = useState<string>('de')
  const [engine, setEngine] = useState<'' | Engine>('')
  const [glossary, setGlossary] = useState('')
  const [isAutomatic, setAutomatic] = useState(false)
  const [characters, setCharacters] = useState('500000')
  const form = useForm(async () => {
    const entries = glossaryOf(glossary)
    const input = {
      language: target as Language,
      source: { space },
      ...(engine === '' ? {} : { engine }),
      ...(entries.length > 0 ? { glossary: entries } : {}),
      ...(isAutomatic ? { automatic: { charactersPerMonth: Number(characters) } } : {}),
    }
    const params = { path: { organizationId: organization.id } }
    await body(api.POST('/v1/orgs/{organizationId}/translations', { params, body: input }))
    await reload(`orgs/${organization.id}/`)
    onClose()
  })
  return (
    <Dialog title={w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <ChoiceField
            label={w.source}
            error={form.error('source')}
            value={space}
            of={[['', w.choose], ...spaces.map(({ id, title }) => [id, title] as const)]}
            onChange={setSpace}
          />
          <ChoiceField
            label={w.language}
            error={form.error('language')}
            value={target}
            of={TARGETS.map((tag) => [tag, languageName(tag)] as const)}
            onChange={setTarget}
          />
          <ChoiceField
            label={w.engine}
            help={w.engineHelp}
            error={form.error('engine')}
            value={engine}
            of={[['', w.serverEngine], ...ENGINES.map((one) => [one, w.engines[one]] as const)]}
            onChange={setEngine}
          />
          <AreaField
            label={w.glossary}
            help={w.glossaryHelp}
            error={form.error('glossary')}
            value={glossary}
            onInput={setGlossary}
            rows={3}
            mono
          />
          <CheckField checked={isAutomatic} onChange={setAutomatic}>
            {w.follow}
          </CheckField>
          {isAutomatic && (
            <TextField
              label={w.budget}
              error={form.error('automatic')}
              value={characters}
              onInput={setCharacters}
              type="number"
              min={1}
            />
          )}
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.create}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}

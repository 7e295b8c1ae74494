/** Connects a space to a repository, in four steps: repository, access, test, direction. */
import { useEffect, useState } from 'preact/hooks'
import {
  act,
  branchesOf,
  branchName,
  changeConnection,
  connect,
  type Connection,
  type Direction,
  disconnect,
  readConnection,
  reloadConnections,
  testConnection,
} from '../admin/connection-calls.js'
import { TestRemedy, TestResult } from '../admin/connection-test.js'
import { addressHelp, hostOf, shortAddress } from '../admin/connection-words.js'
import { CredentialFields, credentialOf, kindsFor, noCredential } from '../admin/credential.js'
import { ChoiceField, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { parameter } from '../admin/lists.js'
import { adminWords } from '../admin/words.js'
import { useData } from '../api/data.js'
import type { Schemas } from '../api/client.js'
import { open, setQuery } from '../route.js'
import { Waiting } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Failed, Shape, Show } from '../shell/notes.js'
import { attempt } from '../shell/toast.js'
import { SpaceFrame } from '../space/space-frame.js'
import { type Space, useSpace } from '../space/space.js'
import { fill, words } from '../words/index.js'

const STEPS = ['repository', 'access', 'test', 'direction'] as const
type Step = (typeof STEPS)[number]

/** The screen. Its step and its connection are in the address, so that a reload continues. */
export function ConnectionNew({ space: id = '' }: { space?: string }) {
  const w = adminWords().connect
  const space = useSpace(id)
  if (space.value) return <Steps space={space.value} />
  return <Waiting title={w.title} data={[space]} />
}

function Steps({ space }: { space: Space }) {
  const w = adminWords().connect
  const id = parameter('connection')
  const step: Step = STEPS.find((one) => one === parameter('step')) ?? 'repository'
  const [url, setUrl] = useState(parameter('url'))
  const made = useData(id === '' ? null : `space/${space.id}/connecting/${id}`, () =>
    readConnection({ space: space.id, id }),
  )
  const host = adminWords().connection.hosts[made.value?.provider ?? hostOf(url)]
  const leave = () =>
    attempt(async () => {
      if (id !== '') await disconnect({ space: space.id, id })
      await reloadConnections(space.id)
      open(`/s/${space.id}/connection`)
    })
  return (
    <SpaceFrame
      space={space}
      title={w.title}
      tab="connection"
      actions={
        <button type="button" class="btn quiet" onClick={leave}>
          {words().common.cancel}
        </button>
      }
    >
      <div class="mid stack l">
        <div class="stack">
          <h1 class="title">{url === '' && !made.value ? w.title : fill(w.titleOf, { host })}</h1>
          <ol class="steps" aria-label={w.steps}>
            {STEPS.map((one, at) => (
              <li
                key={one}
                class={at < STEPS.indexOf(step) ? 'done' : ''}
                aria-current={one === step ? 'step' : undefined}
              >
                {w.names[one]}
              </li>
            ))}
          </ol>
        </div>
        {step === 'repository' && <Repository url={url} onUrl={setUrl} />}
        {step === 'access' && <Access space={space} url={url} />}
        {(step === 'test' || step === 'direction') &&
          (made.value ? (
            step === 'test' ? (
              <Test connection={made.value} />
            ) : (
              <Choose space={space} connection={made.value} />
            )
          ) : (
            <Show data={made}>{() => null}</Show>
          ))}
      </div>
    </SpaceFrame>
  )
}

function Repository({ url, onUrl }: { url: string; onUrl: (url: string) => void }) {
  const w = adminWords().connect
  const form = useForm(async () => setQuery({ step: 'access', url }))
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="pb stack">
        <TextField
          label={w.address}
          help={addressHelp(url)}
          value={url}
          onInput={onUrl}
          mono
          required
          placeholder="https://github.com/acme/docs.git"
        />
        <p class="sm muted">{w.nothingYet}</p>
        <div class="row">
          <Submit form={form}>
            {w.next}
            <Icon name="arrow" />
          </Submit>
        </div>
      </div>
    </form>
  )
}

const BRANCH_BEFORE_TEST = 'main'

function Access({ space, url }: { space: Space; url: string }) {
  const w = adminWords().connect
  const provider = hostOf(url)
  const [credential, setCredential] = useState(
    noCredential(kindsFor(provider, url).includes('token') ? 'token' : 'sshKey'),
  )
  const form = useForm(async () => {
    const isReadOnly = credential.kind === 'none'
    const connection = await connect(space.id, {
      url,
      ref: BRANCH_BEFORE_TEST,
      credential: credentialOf(credential),
      direction: isReadOnly ? 'import' : 'both',
      paused: true,
    })
    // The repository determines the default branch. If it cannot be read, the test shows the reason.
    const found = await branchesOf(connection).catch(() => null)
    if (found?.defaultBranch && branchName(found.defaultBranch) !== BRANCH_BEFORE_TEST)
      await changeConnection(connection, { ref: branchName(found.defaultBranch) })
    setQuery({ step: 'test', connection: connection.id })
  })
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="ph">
        <h2 class="h grow">{shortAddress(url)}</h2>
      </div>
      <div class="pb stack">
        <CredentialFields provider={provider} url={url} value={credential} onChange={setCredential} form={form} />
        <p class="sm muted">{w.stored}</p>
        {form.error('url') !== undefined && <p class="help bad">{form.error('url')}</p>}
        <FormError form={form} />
        <div class="row">
          <Submit form={form}>
            {form.isBusy ? w.testing : w.toTest}
            <Icon name="arrow" />
          </Submit>
          <button type="button" class="btn quiet" onClick={() => setQuery({ step: null })}>
            {words().common.back}
          </button>
        </div>
      </div>
    </form>
  )
}

function Test({ connection }: { connection: Connection }) {
  const w = adminWords().connect
  const [round, setRound] = useState(0)
  const [isChanging, setChanging] = useState(false)
  const test = useData(`space/${connection.space}/test/${connection.id}/${round}`, () => testConnection(connection))
  const again = () => setRound(round + 1)
  const importOnly = () =>
    attempt(async () => {
      await changeConnection(connection, { direction: 'import' })
      setQuery({ step: 'direction' })
    })
  if (test.error) return <Failed error={test.error} retry={again} />
  if (!test.value)
    return (
      <div class="stack" aria-live="polite">
        <p>{fill(w.asking, { repository: shortAddress(connection.url) })}</p>
        <Shape />
      </div>
    )
  const { checks, ok } = test.value
  const canRead = checks.every(
    (one) => one.ok || one.check === 'push' || one.check === 'protection' || one.check === 'host',
  )
  return (
    <>
      <TestResult connection={connection} test={test.value} again={again} isBusy={test.isLoading} />
      <TestRemedy
        connection={connection}
        test={test.value}
        actions={
          <>
            <button type="button" class="btn small primary" onClick={again}>
              {adminWords().test.again}
            </button>
            <button type="button" class="btn small" onClick={() => setChanging(true)}>
              {w.otherCredential}
            </button>
            {canRead && (
              <button type="button" class="btn small" onClick={importOnly}>
                {w.importOnly}
              </button>
            )}
          </>
        }
      />
      {isChanging && (
        <Correct
          connection={connection}
          onDone={() => {
            setChanging(false)
            again()
          }}
        />
      )}
      {ok && (
        <div class="row">
          <button type="button" class="btn primary" onClick={() => setQuery({ step: 'direction' })}>
            {w.next}
            <Icon name="arrow" />
          </button>
        </div>
      )}
    </>
  )
}

function Correct({ connection, onDone }: { connection: Connection; onDone: () => void }) {
  const w = adminWords().connection
  const [ref, setRef] = useState(branchName(connection.ref))
  const [credential, setCredential] = useState(noCredential(connection.credential.kind))
  const form = useForm(async () => {
    await changeConnection(connection, { ref, credential: credentialOf(credential) })
    onDone()
  })
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="pb stack">
        <TextField label={w.branch} error={form.error('ref')} value={ref} onInput={setRef} mono required />
        <CredentialFields
          provider={connection.provider}
          url={connection.url}
          value={credential}
          onChange={setCredential}
          form={form}
        />
        <FormError form={form} />
        <div class="row">
          <Submit form={form}>{adminWords().connect.saveAndTest}</Submit>
        </div>
      </div>
    </form>
  )
}

const DIRECTIONS = ['import', 'both', 'export'] as const

/** The three directions of a sync, as large options. */
export function DirectionChoice({ value, onChange }: { value: Direction; onChange: (value: Direction) => void }) {
  const w = adminWords().connection
  const icons = { import: 'arrow-down', both: 'sync', export: 'arrow-up' } as const
  return (
    <fieldset class="choices">
      <legend class="vh">{w.direction}</legend>
      {DIRECTIONS.map((one) => (
        <label class="choice" key={one}>
          <input type="radio" name="direction" class="vh" checked={value === one} onChange={() => onChange(one)} />
          <Icon name={icons[one]} />
          <b>{w.directions[one]}</b>
          <p>{w.directionMeans[one]}</p>
        </label>
      ))}
    </fieldset>
  )
}

function Choose({ space, connection }: { space: Space; connection: Connection }) {
  const w = adminWords().connect
  const c = adminWords().connection
  const isReadOnly = connection.credential.kind === 'none'
  const [direction, setDirection] = useState<Direction>(connection.direction)
  const [mode, setMode] = useState(connection.exportMode)
  const [folder, setFolder] = useState(connection.repoProjectDirectory)
  const [ref, setRef] = useState(branchName(connection.ref))
  const branches = useData(`space/${space.id}/branches/${connection.id}`, () => branchesOf(connection)).value
  useEffect(() => setDirection(connection.direction), [connection.direction])
  const form = useForm(async () => {
    await changeConnection(connection, { direction, exportMode: mode, repoProjectDirectory: folder, ref })
    await act(connection, 'resume')
    await reloadConnections(space.id)
    open(`/s/${space.id}/connection`)
  })
  const names: Schemas['RemoteBranches']['branches'] = branches?.branches ?? []
  return (
    <form class="stack l" onSubmit={form.submit}>
      <section class="stack s">
        <h2 class="h">{w.whatNext}</h2>
        {isReadOnly ? <p class="ink2">{w.readOnly}</p> : <DirectionChoice value={direction} onChange={setDirection} />}
      </section>
      <div class="panel">
        <div class="pb stack">
          <ChoiceField
            label={c.branch}
            error={form.error('ref')}
            value={ref}
            of={[...new Set([ref, ...names.map((one) => branchName(one.ref))])].map((name) => [name, name] as const)}
            onChange={setRef}
          />
          <TextField
            label={c.folder}
            help={c.folderHelp}
            error={form.error('repoProjectDirectory')}
            value={folder}
            onInput={setFolder}
            mono
          />
          {direction !== 'import' && (
            <ChoiceField
              label={c.mode}
              error={form.error('exportMode')}
              value={mode}
              of={[
                ['single', c.modes.single],
                ['commits', c.modes.commits],
              ]}
              onChange={setMode}
            />
          )}
        </div>
      </div>
      <FormError form={form} />
      <div class="row">
        <Submit form={form}>{w.start}</Submit>
        <button type="button" class="btn quiet" onClick={() => setQuery({ step: 'test' })}>
          {words().common.back}
        </button>
      </div>
    </form>
  )
}

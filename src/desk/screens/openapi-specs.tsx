/** The OpenAPI specifications of an organization. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { AreaField, ChoiceField, FormError, Segments, Submit, TextField, useForm } from '../admin/form.js'
import { AddButton, Listing, OpeningRow, usePages } from '../admin/lists.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { adminWords } from '../admin/words.js'
import { Dialog } from '../shell/dialog.js'
import { Icon } from '../shell/icons.js'
import { Chip } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt } from '../shell/toast.js'
import { fill, plural } from '../words/index.js'

type Spec = Schemas['OpenAPISpec']
type Visibility = Spec['visibility']

export function OpenApiSpecs({ org = '' }: { org?: string }) {
  const w = adminWords().openapi
  const [isAdding, setAdding] = useState(false)
  return (
    <OrganizationFrame
      id={org}
      part="openapi"
      end={({ permissions }) =>
        permissions.createOpenAPISpec && <AddButton text={w.add} onClick={() => setAdding(true)} />
      }
    >
      {(organization) => (
        <>
          <p class="ink2">{w.lead}</p>
          <Specs organization={organization} />
          {isAdding && <SpecForm organization={organization} onClose={() => setAdding(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

function SpecState({ spec }: { spec: Spec }) {
  const w = adminWords().openapi
  if (spec.processingState !== 'complete') return <Chip icon="clock">{w.reading}</Chip>
  if (spec.lastProcessErrorCode !== undefined)
    return (
      <Chip tone="bad" icon="warn">
        {w.failed}
      </Chip>
    )
  if (spec.lastProcessedErrorCount > 0)
    return (
      <Chip tone="wait" icon="warn">
        {plural(w.problems, spec.lastProcessedErrorCount)}
      </Chip>
    )
  return (
    <Chip tone="good" icon="check">
      {w.read}
    </Chip>
  )
}

function Specs({ organization }: { organization: Organization }) {
  const w = adminWords().openapi
  const list = usePages<Spec>(`orgs/${organization.id}/openapi`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/openapi', { params: { path: { organizationId: organization.id }, query } }),
    ),
  )
  return (
    <Listing
      of={list}
      icon="code"
      noneTitle={w.noneTitle}
      none={w.none}
      columns={[
        { name: w.name },
        { name: w.state },
        { name: w.visibility, class: 'hide-m' },
        { name: w.updated, class: 'hide-s' },
        { name: w.details, isHidden: true },
      ]}
    >
      {(spec) => (
        <OpeningRow
          key={spec.id}
          id={spec.id}
          label={fill(adminWords().lists.details, { name: spec.slug })}
          span={5}
          cells={
            <>
              <td>
                <b>{spec.slug}</b>
                {spec.sourceURL !== undefined && <div class="sm muted">{spec.sourceURL}</div>}
              </td>
              <td>
                <SpecState spec={spec} />
              </td>
              <td class="hide-m">{w.visibilities[spec.visibility]}</td>
              <td class="hide-s muted">
                <Time iso={spec.updatedAt} />
              </td>
            </>
          }
        >
          {() => <OneSpec organization={organization} spec={spec} again={() => void list.again()} />}
        </OpeningRow>
      )}
    </Listing>
  )
}

type Problem = Spec['lastProcessedErrors'][number]

const placeOf = ({ file, line, column }: Problem): string =>
  [file ?? '', ...(line === undefined ? [] : [line]), ...(column === undefined ? [] : [column])].join(':')

function OneSpec({ organization, spec, again }: { organization: Organization; spec: Spec; again: () => void }) {
  const w = adminWords().openapi
  const [isReplacing, setReplacing] = useState(false)
  const [ask, question] = useQuestion()
  const params = { path: { organizationId: organization.id, specSlug: spec.slug } }
  const problems = [...(spec.lastProcessError ? [spec.lastProcessError] : []), ...spec.lastProcessedErrors]
  return (
    <div class="stack">
      {problems.length > 0 && (
        <ul class="list panel sm">
          {problems.map((problem, at) => (
            <li key={at}>
              <Icon name="warn" />
              <span class="grow">
                {problem.message} <code>{placeOf(problem)}</code>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p class="sm">
        {w.block} <code>{`{% openapi-operation spec="${spec.slug}" path="…" method="get" %}`}</code>
      </p>
      {spec.permissions.edit && (
        <div class="row wrap">
          <button type="button" class="btn small" onClick={() => setReplacing(true)}>
            <Icon name="upload" />
            {w.replace}
          </button>
          <button
            type="button"
            class="btn small"
            onClick={() =>
              attempt(async () => {
                const visibility = spec.visibility === 'public' ? 'private' : 'public'
                await body(api.PATCH('/v1/orgs/{organizationId}/openapi/{specSlug}', { params, body: { visibility } }))
                again()
              })
            }
          >
            <Icon name="eye" />
            {spec.visibility === 'public' ? w.hide : w.publish}
          </button>
          <button type="button" class="btn small" onClick={again}>
            <Icon name="sync" />
            {w.refresh}
          </button>
          <button
            type="button"
            class="btn small quiet"
            onClick={() =>
              ask({
                title: fill(w.deleteTitle, { name: spec.slug }),
                text: w.deleteText,
                button: w.delete,
                run: async () => {
                  await body(api.DELETE('/v1/orgs/{organizationId}/openapi/{specSlug}', { params }))
                  again()
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
      {isReplacing && <SpecForm organization={organization} spec={spec} onClose={() => setReplacing(false)} />}
    </div>
  )
}

function SpecForm({ organization, spec, onClose }: { organization: Organization; spec?: Spec; onClose: () => void }) {
  const w = adminWords().openapi
  const [slug, setSlug] = useState(spec?.slug ?? '')
  const [from, setFrom] = useState<'url' | 'text'>(spec?.sourceURL === undefined && spec ? 'text' : 'url')
  const [url, setUrl] = useState(spec?.sourceURL ?? '')
  const [text, setText] = useState('')
  const [visibility, setVisibility] = useState<Visibility>(spec?.visibility ?? 'private')
  const form = useForm(async () => {
    const params = { path: { organizationId: organization.id, specSlug: slug } }
    const input = { source: from === 'url' ? { url } : { text }, visibility }
    await body(
      spec
        ? api.PUT('/v1/orgs/{organizationId}/openapi/{specSlug}', { params, body: input })
        : api.POST('/v1/orgs/{organizationId}/openapi', { params, body: { slug, ...input } }),
    )
    await reload(`orgs/${organization.id}/openapi`)
    onClose()
  })
  return (
    <Dialog title={spec ? w.replace : w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          {!spec && (
            <TextField
              label={w.name}
              help={w.nameHelp}
              error={form.error('slug')}
              value={slug}
              onInput={setSlug}
              mono
              required
            />
          )}
          <Segments
            label={w.source}
            value={from}
            of={[
              ['url', w.byUrl],
              ['text', w.byText],
            ]}
            onChange={setFrom}
          />
          {from === 'url' ? (
            <TextField
              label={w.address}
              help={w.addressHelp}
              error={form.error('source')}
              value={url}
              onInput={setUrl}
              type="url"
              mono
              required
            />
          ) : (
            <AreaField
              label={w.text}
              help={w.textHelp}
              error={form.error('source')}
              value={text}
              onInput={setText}
              rows={8}
              mono
              required
            />
          )}
          <ChoiceField
            label={w.visibility}
            error={form.error('visibility')}
            value={visibility}
            of={[
              ['private', w.visibilities.private],
              ['public', w.visibilities.public],
            ]}
            onChange={setVisibility}
          />
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.save}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}

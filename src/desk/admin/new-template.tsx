/** Starts a space from a template, or empty. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { open } from '../route.js'
import { Show } from '../shell/notes.js'
import { fill, plural } from '../words/index.js'
import { CheckField, FormError, Submit, TextField, useForm } from './form.js'
import { createSpace } from './new-space.js'
import { adminWords } from './words.js'

/** Renders the templates and the form. */
export function NewFromTemplate({ organization }: { organization: string }) {
  const templates = useData(
    `orgs/${organization}/templates`,
    async () =>
      (
        await body(
          api.GET('/v1/orgs/{organizationId}/templates', {
            params: { path: { organizationId: organization }, query: { limit: 1000 } },
          }),
        )
      ).items,
  )
  return <Show data={templates}>{(items) => <Choose organization={organization} templates={items} />}</Show>
}

function Choose({ organization, templates }: { organization: string; templates: readonly Schemas['Template'][] }) {
  const w = adminWords().new
  const [chosen, setChosen] = useState('')
  const [title, setTitle] = useState('')
  const form = useForm(async () => {
    const space = await createSpace(organization, { title, ...(chosen === '' ? {} : { template: chosen }) })
    await reload('home/')
    open(`/s/${space.id}`)
  })
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="ph">
        <h2 class="h">{w.choices.template.name}</h2>
      </div>
      <div class="pb stack">
        <fieldset class="stack s">
          <legend class="lab">{w.template}</legend>
          <CheckField type="radio" name="template" checked={chosen === ''} onChange={() => setChosen('')}>
            {w.empty} <span class="muted">{w.emptyMeans}</span>
          </CheckField>
          {templates.map((template) => (
            <CheckField
              key={template.id}
              type="radio"
              name="template"
              checked={chosen === template.id}
              onChange={() => {
                setChosen(template.id)
                if (title === '') setTitle(template.title)
              }}
            >
              {template.title}{' '}
              <span class="muted">
                {template.description} {fill(w.pagesIn, { pages: plural(w.pages, template.pages) })}
              </span>
            </CheckField>
          ))}
          {form.error('template') !== undefined && <p class="help bad">{form.error('template')}</p>}
        </fieldset>
        <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />
        <FormError form={form} />
        <div class="row">
          <Submit form={form}>{w.create}</Submit>
        </div>
      </div>
    </form>
  )
}

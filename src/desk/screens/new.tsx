/** Creates a space from a repository, a template, files, or a website. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { Pick } from '../admin/form.js'
import { parameter } from '../admin/lists.js'
import { NewFromFiles } from '../admin/new-files.js'
import { NewFromRepository } from '../admin/new-repository.js'
import { NewFromTemplate } from '../admin/new-template.js'
import { adminWords } from '../admin/words.js'
import { Frame, Ribbon } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { setQuery } from '../route.js'
import { words } from '../words/index.js'

const WAYS = ['repository', 'template', 'files'] as const
type Way = (typeof WAYS)[number]
const ICONS = { repository: 'sync', template: 'template', files: 'upload' } as const

/** The frame of the setup: a ribbon with a button to leave, and the steps. */
export function StartFrame({ children, skip = true }: { children: ComponentChildren; skip?: boolean }) {
  const w = adminWords().new
  return (
    <Frame
      title={w.title}
      ribbon={
        <Ribbon
          head={<h1>{w.title}</h1>}
          end={
            skip && (
              <a class="btn quiet" href="/">
                {w.skip}
              </a>
            )
          }
        />
      }
    >
      <div class="mid stack l">
        <ol class="steps" aria-label={words().start.steps}>
          <li class="done">{words().start.stepYou}</li>
          <li aria-current="step">{words().start.stepDocs}</li>
        </ol>
        {children}
      </div>
    </Frame>
  )
}

export function New() {
  const w = adminWords().new
  const organizations = useData('organizations', async () => (await body(api.GET('/v1/orgs', {}))).items)
  const way: Way = WAYS.find((one) => one === parameter('from')) ?? 'repository'
  const [chosen, setChosen] = useState(parameter('org'))
  return (
    <StartFrame>
      <Show data={organizations}>
        {(items) => {
          const may = items.filter(({ permissions }) => permissions.createContent)
          const organization = may.find(({ id }) => id === chosen) ?? may[0]
          if (!organization)
            return (
              <Empty icon="lock" title={w.mayNotTitle}>
                {w.mayNot}
              </Empty>
            )
          return (
            <>
              {may.length > 1 && (
                <div class="row">
                  <span class="lab">{w.into}</span>
                  <Pick
                    label={w.into}
                    value={organization.id}
                    of={may.map(({ id, title }) => [id, title] as const)}
                    onChange={setChosen}
                  />
                </div>
              )}
              <nav class="choices" aria-label={w.ways}>
                {WAYS.map((one) => (
                  <a
                    key={one}
                    class="choice"
                    href={`/new?from=${one}`}
                    aria-current={one === way ? 'true' : undefined}
                    onClick={(event) => {
                      event.preventDefault()
                      setQuery({ from: one })
                    }}
                  >
                    <Icon name={ICONS[one]} />
                    <b>{w.choices[one].name}</b>
                    <p>{w.choices[one].means}</p>
                  </a>
                ))}
              </nav>
              {way === 'repository' && <NewFromRepository organization={organization.id} />}
              {way === 'template' && <NewFromTemplate organization={organization.id} />}
              {way === 'files' && <NewFromFiles organization={organization.id} />}
            </>
          )
        }}
      </Show>
    </StartFrame>
  )
}

import { runCli } from './run-cli.ts'

const { env, stdin, stdout, stderr } = process

// Whoever reads the output may stop reading, as `head` does.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCli(process.argv.slice(2), { env, stdin, stdout, stderr })

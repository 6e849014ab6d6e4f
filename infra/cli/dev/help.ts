export const devHelp = `
With -o json (or --json) each line is an object with its kind, on standard output:
  ready        kubeconfig, cluster, admission, probes, endpoints (of functions), clusterName, functions (their folder,
               where --functions named one), database, control, token: where everything is (with --against: against in
               the place of kubeconfig, and neither control nor token)
  event, run, review
               what happened: an object changed, a function ran, a review was answered
  first-event  ms since the start
  reload       of functions that were saved: reload.kind is reloaded or kept, with its problems
  note, warning, error
               text or message, of itself

An error is told with the line of the function, or of what it imports, that it comes from; --debug and JSON have the stack.
A run that time alone woke is told where it ends otherwise than the one before, and after a save; as JSON each is.

Pods only seem to run. Annotations say what becomes of theirs:
  emulator.gatehouse.dev/run-for     their containers end after so long: 5s
  emulator.gatehouse.dev/exit-code   with this code
  emulator.gatehouse.dev/fail-pull   these images cannot be pulled: *, or app:1, or registry.example/* (ErrImagePull);
                                     once it is taken away, the next try succeeds
Digests of images are those of the registry if it is among imageTrust.hosts or has one of imageTrust.mirrors, asked
with the pod's pull secrets and those of its service account; what it does not have, or not for this pod, cannot be
pulled. All others, and those of a registry that does not answer, are made up.

Functions share one thread with all the rest. One that neither returns nor waits (while (true)) stops the API server, too:
after a second its place is told, and Ctrl-C ends all of it; after half a minute it ends by itself. Nothing is lost. (What it made in another cluster stays there until --clean.)
One that waits in the midst of a call (execSync) does so, too: after two seconds it is told for which program (on Linux).

In a cluster that is not its own (--against) it makes the namespace of the installation, accounts, roles with the rights
of the functions and what goes with them and, where that API server can call this machine, webhook configurations that
fail open. How many of which kind it says before it asks whether to go on. All of it goes at the end, and is named. It refuses a cluster with a Gatehouse in it.

Exit codes: 0 it was told to end, 1 it could not begin or end, 2 wrong usage.

Examples:
  $ gatehouse dev
  $ KUBECONFIG=.gatehouse/kubeconfig kubectl get nodes
  $ gatehouse dev --functions ./functions --config gatehouse.yaml --fresh
  $ gatehouse dev --inspect
  $ gatehouse dev --against ~/.kube/config --webhook-host 192.168.1.7
  $ gatehouse dev --against ~/.kube/config --clean
`;

-- oldest writer: 5
-- The folder that each machine has of a project. projects.path is the one that was claimed last, on any machine.
CREATE TABLE project_folders (
    project TEXT NOT NULL,
    machine TEXT NOT NULL,
    path    TEXT NOT NULL,
    PRIMARY KEY (project, machine)
) WITHOUT ROWID;
